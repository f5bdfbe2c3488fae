"""Several processes, one batch: vectors are gathered so that every process sees all negatives."""

import torch
from torch import distributed
from torch.distributed.nn.functional import all_gather


def gather_vectors(vectors: torch.Tensor) -> torch.Tensor:
    """Put together the vectors of all processes, in the order of their ranks.

    Backwards, a process gets the gradients that all processes have for its vectors, added up. As every process
    computes the same loss, that is the true gradient times their number, which the mean taken by
    `average_gradients` undoes.
    """
    if not _are_several():
        return vectors
    return torch.cat(all_gather(vectors))


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
