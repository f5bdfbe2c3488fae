"""Planted faults: how to plant each, which checks must complain, and in which words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .editing import EditedRelease


@dataclass(frozen=True)
class PlantedFault:
    plant: Callable[[EditedRelease], object]
    message: str  # a regular expression, found in the message or an example of the first check
    checks: Sequence[str]  # those that complain, no others
    seal: bool = True  # whether the manifest is put right afterwards
    recount: bool = True  # and the numbers of stats.json and the card
    of: str = "release"  # the fixture to spoil


FAULTS: dict[str, PlantedFault] = {}


def fault(message: str, *checks: str, seal: bool = True, recount: bool = True, of: str = "release"):
    def register(plant: Callable[[EditedRelease], object]):
        FAULTS[plant.__name__] = PlantedFault(plant, message, checks, seal, recount, of)
        return plant

    return register


def unsealed(message: str, *checks: str):
    return fault(message, *checks, seal=False, recount=False)


def planted(original: Path, folder: Path, name: str) -> EditedRelease:
    """Copy a release and plant a fault."""
    release = EditedRelease(original, folder)
    FAULTS[name].plant(release)
    if FAULTS[name].recount:
        release.recount()
    if FAULTS[name].seal:
        release.seal()
    return release
