"""Optimizers and how their learning rates change."""

from typing import Any

import torch
from torch.optim.lr_scheduler import LambdaLR

from ..model.saved import SavedMatcher
from .arguments import MatchingArguments


def make_optimizer(matcher: SavedMatcher, arguments: MatchingArguments) -> torch.optim.Optimizer:
    """Make the optimizer that the settings name.

    The paper's ASGD is as PyTorch has it, where averaging begins after a million steps. The paper's 400
    epochs of 147,276 / 60 steps end before, so that its results are those of the last weights, as ours are.
    """
    groups = _groups(matcher, arguments)
    if arguments.optimizer == "asgd":
        return torch.optim.ASGD(groups, lr=arguments.learning_rate)
    return torch.optim.AdamW(
        groups,
        lr=arguments.learning_rate,
        betas=(arguments.adam_beta1, arguments.adam_beta2),
        eps=arguments.adam_epsilon,
        fused=True,  # one pass over parameters instead of ten; tables are larger than a processor's cache
    )


def _groups(matcher: SavedMatcher, arguments: MatchingArguments) -> list[dict[str, Any]]:
    return [
        {
            "params": group.parameters,
            "lr": arguments.learning_rate * (getattr(arguments, group.rate) if group.rate else 1.0),
            "weight_decay": getattr(arguments, group.decay),
        }
        for group in matcher.parameter_groups()
    ]


def decay_by_epoch(optimizer: torch.optim.Optimizer, factor: float, steps_per_epoch: int) -> LambdaLR:
    """Multiply the learning rate by a factor after each epoch."""
    return LambdaLR(optimizer, lambda step: factor ** (step // steps_per_epoch))
