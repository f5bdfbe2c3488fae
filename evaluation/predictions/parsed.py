"""What the readers of all formats hand to the checks."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from .batch import PredictionBatch
from .faults import SHOWN, Fault

STRINGS = pa.list_(pa.string())
DOUBLES = pa.list_(pa.float64())

_ROWS_PER_BATCH = 4096
_PROOFS_PER_BATCH = 2**18


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """Some rows whose types are right, and what is wrong with the others.

    Attributes:
        rows: The rows; proofs are null where they could not be used, scores where there are none.
        places: The line or row of each, counted from 1.
        faults: What is wrong already, in lines that are among the rows and in lines that are not.
        n_more_faults: How many more there are than are listed.
    """

    rows: PredictionBatch
    places: np.ndarray
    faults: list[Fault]
    n_more_faults: int = 0


@dataclass(slots=True)
class RowCollector:
    """Gathers rows until there are enough for a batch."""

    places: list[int] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    proofs: list[list[str] | None] = field(default_factory=list)
    scores: list[list[float] | None] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    n_more_faults: int = 0
    n_proofs: int = 0

    def add_row(
        self, place: int, statement: str, proofs: list[str] | None, scores: list[float] | None
    ) -> None:
        """Add a row; no proofs mean that something was wrong with it."""
        self.places.append(place)
        self.statements.append(statement)
        self.proofs.append(proofs)
        self.scores.append(scores)
        self.n_proofs += len(proofs or ())

    def add_fault(self, place: int | None, statement: str | None, problem: str) -> None:
        """Add something that is wrong; what is never shown is only counted."""
        if len(self.faults) < SHOWN:
            self.faults.append(Fault(place, statement, problem))
        else:
            self.n_more_faults += 1

    @property
    def is_full(self) -> bool:
        """Whether a batch should be taken."""
        return self.n_proofs >= _PROOFS_PER_BATCH or len(self.places) >= _ROWS_PER_BATCH

    def take(self) -> ParsedBatch:
        """Give away what was gathered and begin anew."""
        rows = PredictionBatch(
            pa.array(self.statements, pa.string()),
            pa.array(self.proofs, STRINGS),
            pa.array(self.scores, DOUBLES),
        )
        batch = ParsedBatch(rows, np.array(self.places, dtype=np.int64), self.faults, self.n_more_faults)
        self.places, self.statements, self.proofs, self.scores, self.faults = [], [], [], [], []
        self.n_more_faults = self.n_proofs = 0
        return batch
