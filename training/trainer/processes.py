"""Several processes, one batch: vectors are gathered so that every process sees all negatives.

They are started by `torchrun`, which tells them by environment variables who they are.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import distributed

_left: list[Any] = []  # groups that were left, until the process ends


def is_first_process() -> bool:
    """Tell whether this is the process that writes and speaks for all."""
    return os.environ.get("RANK", "0") == "0"


def number_of_processes() -> int:
    """Tell how many processes train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def wait_for_all() -> None:
    """Let no process go on before all are here."""
    if _are_several():
        distributed.barrier()


@contextmanager
def process_group() -> Iterator[None]:
    """Leave the group at the end that the library has made on the way."""
    was_there = _are_several()
    try:
        yield
    finally:
        if _are_several() and not was_there:
            # What the library wraps around a model refers to the group, too, and may go later. It must not be
            # the last that does: it would wait for the group's threads and keep the interpreter's lock, which
            # they need to give back their last tensors. Neither would ever go on.
            _left.append(distributed.group.WORLD)
            atexit.register(_left.clear)
            distributed.destroy_process_group()


def gather_vectors(vectors: torch.Tensor) -> torch.Tensor:
    """Put together the vectors of all processes, in the order of their ranks.

    Every process computes the same loss of the same vectors, and passes on the gradients of its own ones,
    times the number of processes, which the mean taken by `average_gradients` undoes.
    """
    return _Gather.apply(vectors) if _are_several() else vectors  # pyright: ignore[reportReturnType]


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, vectors: torch.Tensor) -> torch.Tensor:  # noqa: ANN401 - of the library
        everyones = [torch.empty_like(vectors) for _ in range(distributed.get_world_size())]
        distributed.all_gather(everyones, vectors.contiguous())
        ctx.size = len(vectors)
        return torch.cat(everyones)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:  # noqa: ANN401
        own = gradients[0].split(ctx.size)[distributed.get_rank()]
        return own * distributed.get_world_size()


def average_gradients(parameters: "list[torch.nn.Parameter]") -> None:
    """Let all processes have the mean of their gradients."""
    if not _are_several():
        return
    for parameter in parameters:
        if parameter.requires_grad:
            if parameter.grad is None:  # a process without it must take part nevertheless
                parameter.grad = torch.zeros_like(parameter)
            distributed.all_reduce(parameter.grad)
            parameter.grad /= distributed.get_world_size()


def _are_several() -> bool:
    return distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1
