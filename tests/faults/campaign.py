"""Many trials of all errands, each compared with an undisturbed run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from proofmatch.builder import build_release
from proofmatch.builder.sample import sample_articles
from tests.faults import errands
from tests.faults.kills import Errand, run_killed, run_undisturbed
from tests.hub.server import LoopbackHub

NAMES = ("build", "import", "train", "push")


@contextmanager
def _errand(name: str, sources: Path, folder: Path) -> Iterator[Errand]:
    if name == "push":
        with LoopbackHub() as hub:
            yield errands.push(sources, folder, hub)
    else:
        make: dict[str, Callable[[Path, Path], Errand]] = {
            "build": partial(errands.making_a_release, "build"),
            "import": partial(errands.making_a_release, "import"),
            "train": errands.train,
        }
        yield make[name](sources, folder)


def _sources(name: str, workplace: Path) -> Path:
    if name == "build":
        return errands.build_sources(workplace)
    if name == "import":
        return errands.import_sources(workplace)
    return build_release(sample_articles(), workplace / "sample", workers=1)


def campaign(name: str, kills: int, seed: int, workplace: Path) -> list[dict[str, Any]]:
    """Run an errand and kill it, over and over, until it has been killed that often."""
    workplace.mkdir(parents=True, exist_ok=True)
    sources = _sources(name, workplace)
    with _errand(name, sources, errands.cleared(workplace / "trial")) as errand:
        duration = run_undisturbed(errand)
        expected = errand.outcome()
    trials: list[dict[str, Any]] = []
    done = number = 0
    while done < kills:
        chance = Random(f"{name} {seed} {number}")  # noqa: S311 - not for cryptography
        with _errand(name, sources, errands.cleared(workplace / "trial")) as errand:
            trial = run_killed(errand, duration, chance)
        done += len(trial.kills)
        number += 1
        trials.append(trial.as_dict(expected))
    return trials
