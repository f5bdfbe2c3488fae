"""Optimizers and how their learning rates change."""

from typing import Any

import torch
from torch.optim.lr_scheduler import LambdaLR

from ..model.matcher import ProofMatcher
from .arguments import MatchingArguments


def make_optimizer(matcher: ProofMatcher, arguments: MatchingArguments) -> torch.optim.Optimizer:
    """Make the optimizer that the settings name.

    The paper's ASGD is as PyTorch has it, where averaging begins after a million steps. The paper's 400
    epochs of 147,276 / 60 steps end before, so that its results are those of the last weights, as ours are.
    """
    groups = _groups(matcher, arguments)
    if arguments.optimizer == "asgd":
        return torch.optim.ASGD(groups, lr=arguments.learning_rate, weight_decay=arguments.weight_decay)
    return torch.optim.AdamW(
        groups,
        lr=arguments.learning_rate,
        betas=(arguments.adam_beta1, arguments.adam_beta2),
        eps=arguments.adam_epsilon,
        weight_decay=arguments.weight_decay,
    )


def _groups(matcher: ProofMatcher, arguments: MatchingArguments) -> list[dict[str, Any]]:
    similarity = [matcher.weight, matcher.bias]
    rate = arguments.learning_rate
    return [
        {"params": list(matcher.encoder.parameters()), "lr": rate},
        {"params": similarity, "lr": rate * arguments.similarity_rate},
    ]


def decay_by_epoch(optimizer: torch.optim.Optimizer, factor: float, steps_per_epoch: int) -> LambdaLR:
    """Multiply the learning rate by a factor after each epoch."""
    return LambdaLR(optimizer, lambda step: factor ** (step // steps_per_epoch))
