"""Noise-contrastive estimation, which the paper tried and found slower to converge; here for comparison."""

import math

import torch
from torch.nn import functional


def noise_contrastive_loss(scores: torch.Tensor) -> torch.Tensor:
    """Tell each gold pair from the b - 1 other pairs of its row, which stand for noise.

    Every pair is classified by itself: gold, or one of k = b - 1 noise samples drawn uniformly from the
    minibatch's proofs. So the odds of being gold are exp(score) against k times the noise's probability 1/b.

    Args:
        scores: Statements × proofs, the gold proof of each statement on the diagonal, (b, b).

    Returns:
        The loss, a scalar: the sum over statements.
    """
    size = len(scores)
    noise_odds = math.log(max(1, size - 1) / size)
    is_gold = torch.eye(size, dtype=scores.dtype, device=scores.device)
    return functional.binary_cross_entropy_with_logits(scores - noise_odds, is_gold, reduction="sum")
