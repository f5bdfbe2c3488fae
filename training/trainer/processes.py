"""Training in several processes that share each batch: every process sees all negatives.

`torchrun` starts the processes, and sets their ranks in environment variables.
"""

import atexit
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import distributed

_left_groups: list[Any] = []  # kept until the process ends


def is_first_process() -> bool:
    """Whether this is the process that writes files and messages."""
    return os.environ.get("RANK", "0") == "0"


def number_of_processes() -> int:
    """Return the number of processes of the training."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def wait_for_all() -> None:
    """Wait until all processes are here."""
    if _are_several():
        distributed.barrier()


@contextmanager
def process_group() -> Iterator[None]:
    """Destroy the process group at the end if the library created it in between."""
    was_there = _are_several()
    try:
        yield
    finally:
        if _are_several() and not was_there:
            # The library's wrapper of the model also refers to the group, and may be freed later. It must not
            # hold the last reference: freeing the group waits for its threads while holding the interpreter's
            # lock, which the threads need to free their last tensors: a deadlock.
            _left_groups.append(distributed.group.WORLD)
            atexit.register(_left_groups.clear)
            distributed.destroy_process_group()


def gather_vectors(vectors: torch.Tensor) -> torch.Tensor:
    """Concatenate the vectors of all processes, by rank.

    Every process computes the same loss of the same vectors, and propagates the gradients of its own vectors,
    times the number of processes, which the mean of `average_gradients` cancels.
    """
    return _Gather.apply(vectors) if _are_several() else vectors  # pyright: ignore[reportReturnType]


class _Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, vectors: torch.Tensor) -> torch.Tensor:  # noqa: ANN401 - of the library
        gathered = [torch.empty_like(vectors) for _ in range(distributed.get_world_size())]
        distributed.all_gather(gathered, vectors.contiguous())
        ctx.size = len(vectors)
        return torch.cat(gathered)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:  # noqa: ANN401
        own = gradients[0].split(ctx.size)[distributed.get_rank()]
        return own * distributed.get_world_size()


def average_gradients(parameters: "list[torch.nn.Parameter]") -> None:
    """Replace the gradients by their mean over all processes."""
    if not _are_several():
        return
    for parameter in parameters:
        if parameter.requires_grad:
            if parameter.grad is None:  # all processes must take part
                parameter.grad = torch.zeros_like(parameter)
            distributed.all_reduce(parameter.grad)
            parameter.grad /= distributed.get_world_size()


def _are_several() -> bool:
    return distributed.is_available() and distributed.is_initialized() and distributed.get_world_size() > 1
