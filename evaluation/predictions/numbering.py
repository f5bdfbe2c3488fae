"""Ids as numbers, which is all that scoring and matching need."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa


class Numbering:
    """Numbers ids from 0.

    Args:
        ids: The ids that are known, in order.
        growing: Whether an id that is not known becomes known by being asked for.
    """

    def __init__(self, ids: Iterable[str] = (), *, growing: bool = False) -> None:
        self.growing = growing
        self._numbers = {id_: number for number, id_ in enumerate(ids)}

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def ids(self) -> list[str]:
        """The known ids in order of their numbers."""
        return list(self._numbers)

    def numbers(self, ids: pa.Array) -> np.ndarray:
        """Find the number of each id; unknown ones have negative numbers, equal ones the same."""
        encoded = ids.dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        known = self._numbers
        if self.growing:
            table = [known.setdefault(id_, len(known)) for id_ in distinct]
        else:
            table = [known.get(id_, -1 - at) for at, id_ in enumerate(distinct)]
        return np.array(table, dtype=np.int64)[encoded.indices.to_numpy()]


@dataclass(frozen=True, slots=True)
class NumberedBatch:
    """Some rows of a prediction file without fault, ids as numbers.

    Attributes:
        statements: The statement of each row.
        starts: Where each row's list begins, and after the last one the end, (rows + 1).
        proofs: The lists of proofs, one after the other, best first.
        scores: Their scores; None where the file has no scores.
    """

    statements: np.ndarray
    starts: np.ndarray
    proofs: np.ndarray
    scores: np.ndarray | None

    def __len__(self) -> int:
        return len(self.statements)
