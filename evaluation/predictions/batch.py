"""The record that readers, writers and matchers of predictions exchange."""

from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True, slots=True)
class PredictionBatch:
    """Some rows of a prediction file.

    Attributes:
        statement_ids: One string a row.
        proof_ids: A list of strings a row, best first.
        scores: A list of doubles a row, as long as that of the proofs; None where the file has no scores.
    """

    statement_ids: pa.Array
    proof_ids: pa.ListArray
    scores: pa.ListArray | None

    def __len__(self) -> int:
        return len(self.statement_ids)
