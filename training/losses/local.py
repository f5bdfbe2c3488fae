"""In-batch softmax: every statement against the proofs of its minibatch (Section "Local Training")."""

import torch
from torch.nn import functional


def local_loss(scores: torch.Tensor) -> torch.Tensor:
    """Sum up -log P(gold proof | statement) over the statements of a minibatch.

    Args:
        scores: Statements × proofs, the gold proof of each statement on the diagonal, (b, b).

    Returns:
        The loss, a scalar.

    Example:
        >>> local_loss(torch.zeros(2, 2))  # two times log 2
        tensor(1.3863)
    """
    return functional.cross_entropy(scores, _diagonal(scores), reduction="sum")


def two_sided_loss(scores: torch.Tensor) -> torch.Tensor:
    """Take the mean of the loss over statements and that over proofs, each against all of the other side."""
    return (local_loss(scores) + local_loss(scores.T)) / 2


def _diagonal(scores: torch.Tensor) -> torch.Tensor:
    return torch.arange(len(scores), device=scores.device)
