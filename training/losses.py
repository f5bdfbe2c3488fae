"""Losses: functions of a score matrix whose diagonal has the gold pairs. They do not depend on encoders."""

import math
from collections.abc import Callable

import torch
from torch.nn import functional

from ..evaluation.decoding.matching import match_globally

Loss = Callable[[torch.Tensor], torch.Tensor]


def local_loss(scores: torch.Tensor) -> torch.Tensor:
    """Sum -log P(gold proof | statement) over a minibatch: in-batch softmax (Section "Local Training").

    Args:
        scores: Statements × proofs, the gold proof of each statement on the diagonal, (b, b).

    Returns:
        The loss, a scalar.

    Example:
        >>> local_loss(torch.zeros(2, 2))  # two times log 2
        tensor(1.3863)
    """
    diagonal = torch.arange(len(scores), device=scores.device)
    return functional.cross_entropy(scores, diagonal, reduction="sum")


def two_sided_loss(scores: torch.Tensor) -> torch.Tensor:
    """Average the local loss over statements and over proofs, each against all texts of the other side."""
    return (local_loss(scores) + local_loss(scores.T)) / 2


def noise_contrastive_loss(scores: torch.Tensor) -> torch.Tensor:
    """Classify each pair as gold or as noise: noise-contrastive estimation.

    The k = b - 1 other pairs of a row are noise samples, drawn uniformly from the proofs of the minibatch. So
    the odds of being gold are exp(score) against k times the noise's probability 1/b. The paper found this
    loss slower to converge; it is here for comparison.

    Args:
        scores: Statements × proofs, the gold proof of each statement on the diagonal, (b, b).

    Returns:
        The loss, a scalar: the sum over statements.
    """
    size = len(scores)
    noise_odds = math.log(max(1, size - 1) / size)
    is_gold = torch.eye(size, dtype=scores.dtype, device=scores.device)
    return functional.binary_cross_entropy_with_logits(scores - noise_odds, is_gold, reduction="sum")


def global_loss(scores: torch.Tensor) -> torch.Tensor:
    """Max-margin loss over whole matchings (Section "Hybrid Local and Global Training").

    max(0, Δ(Â, I) + score(Â, M) - score(I, M)), where Δ counts wrong assignments and  is the best matching of
    the cost-augmented scores M + (1 - I).

    Args:
        scores: Statements × proofs, the gold proof of each statement on the diagonal, (b, b).

    Returns:
        The loss, a scalar. It is zero if the gold matching beats every other one by its number of wrong
        assignments.
    """
    # The loss uses exactly the scores that are decoded; decoding needs no gradient.
    augmented = scores + (1 - torch.eye(len(scores), dtype=scores.dtype, device=scores.device))
    columns = torch.from_numpy(match_globally(augmented.detach().double().cpu().numpy())).to(scores.device)
    rows = torch.arange(len(scores), device=scores.device)
    return (augmented[rows, columns].sum() - scores.diagonal().sum()).clamp(min=0)


# The losses of an objective take turns, one per step; `hybrid` alternates (Section "Experimental setup").
OBJECTIVES: dict[str, dict[str, Loss]] = {
    "local": {"local": local_loss},
    "two-sided": {"two-sided": two_sided_loss},
    "noise-contrastive": {"noise-contrastive": noise_contrastive_loss},
    "global": {"global": global_loss},
    "hybrid": {"local": local_loss, "global": global_loss},
}


def loss_of_step(objective: str, step: int) -> tuple[str, Loss]:
    """Choose the loss of a step; returns its name and the function."""
    losses = list(OBJECTIVES[objective].items())
    return losses[step % len(losses)]
