"""Reports that several tests share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from proofmatch.evaluation.report.page import write_report

from .releases import Pair, predict, write_release

CATEGORIES = ("math.AG", "math.AC", "math.NT")
N_MANY = 130


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release with 130 statements, of which the first ten are right, and predictions for it.

    Number n has the right proof at rank 1 + n % 5, or not at all where this is 5, and is of category n % 3.
    The first choice of the even ones is the proof of a statement that wants it more.
    """
    folder = tmp_path_factory.mktemp("many")
    pairs = [
        Pair(
            f"Lemma 1. Every widget{number} is ${'x' * (number % 7 + 1)}_{{{number}}}$.",
            f"Proof. Take gadget{number} and $y_{{{number}}}$. " + f"More of word{number * number}. " * 20,
            CATEGORIES[number % 3],
            f"Volume {number // 10}",
        )
        for number in range(N_MANY)
    ]
    lists = {}
    for number in range(N_MANY):
        others = [(number + 1 + step) % N_MANY for step in range(4)]
        if number >= 10 and number % 2 == 0:
            others[0] = number % 10
        place = 0 if number < 10 else number % 5
        listed = others[:place] + ([number] if place < 4 else []) + others[place:]
        best = 1_000 if number < 10 else number
        lists[number] = {proof: float(best - step) for step, proof in enumerate(listed)}
    release = write_release(folder / "many-toys", pairs)
    return release, predict(folder / "toys.jsonl", lists, name="Toy matcher", notes="Knows nothing.")


@pytest.fixture(scope="session")
def report_of_many(many: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    release, predictions = many
    page = tmp_path_factory.mktemp("report") / "many.html"
    write_report(predictions, release, out=page)
    return page


@pytest.fixture(scope="session")
def make_report(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes a report about pairs and predictions."""

    def make(pairs: list[Pair], lists: dict, spare_proofs: tuple[str, ...] = (), **system: str) -> Path:
        folder = tmp_path_factory.mktemp("made")
        release = write_release(folder / "toys", pairs, spare_proofs)
        write_report(predict(folder / "x.jsonl", lists, **system), release, out=folder / "report.html")
        return folder / "report.html"

    return make
