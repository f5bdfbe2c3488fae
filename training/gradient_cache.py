"""Gradient caching: large batches in the memory of small ones.

The loss needs the vectors of all texts, but gradients only at these vectors. So all texts are encoded without
a graph, the loss is differentiated with respect to the vectors, and the texts are encoded again, chunk by
chunk, to propagate the gradients to the parameters (Gao et al. 2021, https://arxiv.org/abs/2101.06983).
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

import numpy as np
import torch


class TextEncoder(Protocol):
    """Encodes texts as vectors, and scores vectors."""

    def encode(self, texts: Sequence[np.ndarray]) -> torch.Tensor:
        """Encode texts."""
        ...

    def score(self, statements: torch.Tensor, proofs: torch.Tensor) -> torch.Tensor:
        """Score all statements with all proofs."""
        ...


def backward_in_chunks(
    matcher: TextEncoder,
    statements: Sequence[np.ndarray],
    proofs: Sequence[np.ndarray],
    loss: Callable[[torch.Tensor], torch.Tensor],
    chunk: int | None,
    gather: Callable[[torch.Tensor], torch.Tensor] = lambda vectors: vectors,
) -> torch.Tensor:
    """Add the gradients of a batch's loss to the parameters, as `loss(matcher(...)).backward()` would.

    Args:
        matcher: The model.
        statements: The words of each statement.
        proofs: The words of each proof.
        loss: A function of the score matrix.
        chunk: How many texts to encode with a graph at a time; None for all of them, encoded only once.
        gather: Concatenates the vectors of all processes that share a batch.

    Returns:
        The loss, detached.
    """
    if chunk is None:
        vectors = matcher.encode([*statements, *proofs])  # together, for less padding
        value = loss(matcher.score(*map(gather, vectors.split([len(statements), len(proofs)]))))
        value.backward()
        return value.detach()
    sides = [_chunks(statements, chunk), _chunks(proofs, chunk)]
    states: list[list[_RandomState]] = []
    leaves = []
    with torch.no_grad():
        for side in sides:
            vectors = []
            states.append([])
            for texts in side:
                states[-1].append(_RandomState())
                vectors.append(matcher.encode(texts))
            leaves.append(torch.cat(vectors).requires_grad_())
    value = loss(matcher.score(*map(gather, leaves)))
    value.backward()
    for side, side_states, leaf in zip(sides, states, leaves, strict=True):
        gradients = leaf.grad.split(chunk)  # pyright: ignore[reportOptionalMemberAccess] - set by `backward`
        for texts, state, gradient in zip(side, side_states, gradients, strict=True):
            # The same dropout as before, or these would be the gradients of another function.
            with state.restored():
                matcher.encode(texts).backward(gradient)
    return value.detach()


def _chunks(texts: Sequence[np.ndarray], size: int) -> list[Sequence[np.ndarray]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


class _RandomState:
    """A snapshot of the random generators."""

    def __init__(self) -> None:
        self._cpu = torch.get_rng_state()
        self._devices = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []

    def restored(self) -> ExitStack:
        """Restore the snapshot within a context, and afterwards the present state."""
        stack = ExitStack()
        stack.enter_context(torch.random.fork_rng(devices=range(len(self._devices))))
        torch.set_rng_state(self._cpu)
        if self._devices:
            torch.cuda.set_rng_state_all(self._devices)
        return stack
