"""`result.json`: the scores of a system, with all that tells what they are scores of."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from proofmatch.storage import atomic_file

from .metrics import Bootstrap, CategoryScores, Measures
from .system import System

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Dataset:
    """What was evaluated on.

    Attributes:
        id: The release's folder name, or `OWNER/NAME` on the Hub.
        revision: The commit on the Hub, None for a folder.
        manifest_sha256: The hash of the release's manifest, and so of all its files.
        config: `pairs` or `pairs_by_article`.
        split: The split.
    """

    id: str
    revision: str | None
    manifest_sha256: str
    config: str
    split: str


@dataclass(frozen=True, slots=True)
class Evaluator:
    """What computed the scores.

    Attributes:
        version: Of proofmatch.
        tie_rule: Where the gold proof ranks among equal scores.
        bootstrap: How the intervals were made.
    """

    version: str
    tie_rule: str
    bootstrap: Bootstrap


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of a system.

    Attributes:
        system: What was evaluated.
        dataset: On what.
        evaluator: By what.
        predictions_sha256: The hash of the prediction file as it is on the disk.
        n_statements: How many statements there are.
        n_proofs: How many proofs they choose from.
        measures: The scores, fractions from 0 to 1.
        ci95: The 95% interval of each, by its name in the file.
        one_to_one: Whether no proof is the first choice of two statements.
        by_category: Scores by primary category, the largest first.
        assignment_counts: How many proofs are the first choice of 0, 1, 2, … statements.
        ranks: Rank of each statement's gold proof, which the file does not have, (statements).
    """

    system: System
    dataset: Dataset
    evaluator: Evaluator
    predictions_sha256: str
    n_statements: int
    n_proofs: int
    measures: Measures
    ci95: dict[str, tuple[float, float]]
    one_to_one: bool
    by_category: dict[str, CategoryScores]
    assignment_counts: dict[int, int]
    ranks: np.ndarray = field(compare=False, repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Give the content of the result file, as `result.schema.json` describes it."""
        intervals = {name: list(interval) for name, interval in self.ci95.items()}
        return {
            "schema_version": SCHEMA_VERSION,
            "system": self.system.as_dict(),
            "dataset": asdict(self.dataset),
            "evaluator": asdict(self.evaluator),
            "predictions_sha256": self.predictions_sha256,
            "n_statements": self.n_statements,
            "n_proofs": self.n_proofs,
            "scores": {**self.measures.as_dict(), "one_to_one": self.one_to_one, "ci95": intervals},
            "by_category": {name: asdict(scores) for name, scores in self.by_category.items()},
            "assignment_counts": {str(number): proofs for number, proofs in self.assignment_counts.items()},
        }

    def save(self, path: Path) -> None:
        """Write the result file, whole or not at all."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        with atomic_file(path) as unfinished:
            unfinished.write_text(text + "\n", encoding="utf-8")
