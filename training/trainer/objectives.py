"""Objectives by name: which loss a step has."""

from collections.abc import Callable

import torch

from ..losses import global_loss, local_loss, noise_contrastive_loss, two_sided_loss

Loss = Callable[[torch.Tensor], torch.Tensor]

# One loss after the other, a step each; the hybrid one alternates (Section "Experimental setup").
OBJECTIVES: dict[str, dict[str, Loss]] = {
    "local": {"local": local_loss},
    "two-sided": {"two-sided": two_sided_loss},
    "noise-contrastive": {"noise-contrastive": noise_contrastive_loss},
    "global": {"global": global_loss},
    "hybrid": {"local": local_loss, "global": global_loss},
}


def loss_of_step(objective: str, step: int) -> tuple[str, Loss]:
    """Choose the loss of a step, with its name."""
    losses = list(OBJECTIVES[objective].items())
    return losses[step % len(losses)]
