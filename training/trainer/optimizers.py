"""Optimizers and how their learning rates change."""

from collections.abc import Iterable

import torch
from torch.optim.lr_scheduler import LambdaLR


def averaged_sgd(parameters: Iterable[torch.nn.Parameter], learning_rate: float) -> torch.optim.Optimizer:
    """Make the optimizer of the paper, as PyTorch has it.

    PyTorch begins to average after a million steps. The paper's 400 epochs of 147,276 / 60 steps end before, so
    that its results are those of the last weights, as ours are.
    """
    return torch.optim.ASGD(parameters, lr=learning_rate)


def decay_by_epoch(optimizer: torch.optim.Optimizer, factor: float, steps_per_epoch: int) -> LambdaLR:
    """Multiply the learning rate by a factor after each epoch."""
    return LambdaLR(optimizer, lambda step: factor ** (step // steps_per_epoch))
