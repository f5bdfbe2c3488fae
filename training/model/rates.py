"""Which parameters learn how fast."""

from dataclasses import dataclass

from torch import nn


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters that learn at one rate.

    Attributes:
        parameters: What learns.
        rate: The setting whose value is the group's share of the learning rate, or None for all of it.
        decay: The setting that has the group's weight decay.
    """

    parameters: list[nn.Parameter]
    rate: str | None = None
    decay: str = "weight_decay"
