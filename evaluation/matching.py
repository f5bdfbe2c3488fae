"""One-to-one matching of a prediction file, over the candidates that it lists."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from .decoding.candidates import Candidates
from .decoding.pruned import match_candidates
from .left_over import serve_all
from .predictions.batch import PredictionBatch
from .predictions.numbering import Numbering
from .predictions.parsed import DOUBLES, STRINGS
from .predictions.reading import read_growing
from .predictions.system import read_system
from .predictions.writing import write_predictions


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """What became of a prediction file.

    Attributes:
        n_statements: How many statements it has.
        n_proofs: How many different proofs they list.
        n_left_over: How many statements share a proof with another, for want of free candidates.
    """

    n_statements: int
    n_proofs: int
    n_left_over: int


def match_predictions(
    predictions: str | Path, out: str | Path, progress: Progress | None = None
) -> MatchedFile:
    """Match statements and proofs one-to-one with the greatest total score, and write a proof a statement.

    As many statements as possible are matched. One whose candidates others have keeps the best of them: a
    prediction file needs a proof for every statement.

    Args:
        predictions: A prediction file with scores.
        out: The prediction file to write.
        progress: Counts the statements that have been read.

    Raises:
        ProofmatchError: If anything is wrong with the file, or it has no scores.
    """
    path = Path(predictions)
    statements, candidates, proofs = _read_candidates(path, progress)
    matching = match_candidates(candidates)
    columns = serve_all(matching.columns, candidates)
    scores = candidates.scores[candidates.columns == columns[candidates.rows]]
    system = read_system(path)
    total = matching.total if np.isfinite(matching.total) else None
    found = {"total": total, "left_over": matching.n_unmatched}
    # What the sidecar says of an earlier decoding is no longer true.
    kept = {name: value for name, value in system.extra.items() if name != "details"}
    system = replace(system, decoding="global", extra=kept | {"matching": found})
    write_predictions(Path(out), [_batch(statements, proofs.take(pa.array(columns)), scores)], system)
    return MatchedFile(len(statements), len(proofs), matching.n_unmatched)


def _read_candidates(path: Path, progress: Progress | None) -> tuple[pa.Array, Candidates, pa.Array]:
    """Read all candidates, statements and proofs in the order of their ids.

    Of equally good matchings the numbers of rows and columns decide; the file's order should not.
    """
    statements, proofs = Numbering(growing=True), Numbering(growing=True)
    batches = list(read_growing(path, statements, proofs, progress))
    scores = [batch.scores for batch in batches if batch.scores is not None]
    if len(scores) < len(batches):
        raise ProofmatchError(
            f"{path} has no scores, and matching weighs candidates by them; write them, too"
        )
    statement_ids, new_row = _sorted(statements.ids)
    proof_ids, new_column = _sorted(proofs.ids)
    lengths = np.concatenate([np.diff(batch.starts) for batch in batches])
    rows = new_row[np.repeat(np.concatenate([batch.statements for batch in batches]), lengths)]
    columns = new_column[np.concatenate([batch.proofs for batch in batches])]
    candidates = gather_candidates(rows, columns, np.concatenate(scores), len(statement_ids), len(proof_ids))
    return statement_ids, candidates, proof_ids


def gather_candidates(
    rows: np.ndarray, columns: np.ndarray, scores: np.ndarray, n_rows: int, n_columns: int
) -> Candidates:
    """Put the candidates of each row together, in the order of the rows; those of a row stay in theirs.

    Args:
        rows: The row of each candidate.
        columns: Its column.
        scores: Its score.
        n_rows: How many rows there are.
        n_columns: How many columns there are.
    """
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(n_rows + 1))
    return Candidates(starts, columns[order], scores[order], n_columns, trusted=True)


def _sorted(ids: list[str]) -> tuple[pa.Array, np.ndarray]:
    """Sort ids, and tell the new place of each."""
    order = np.argsort(np.array(ids, dtype=object))
    return pa.array([ids[at] for at in order]), np.argsort(order)


def _batch(statements: pa.Array, proofs: pa.Array, scores: np.ndarray) -> PredictionBatch:
    starts = pa.array(np.arange(len(statements) + 1), pa.int32())
    return PredictionBatch(
        statements,
        pa.ListArray.from_arrays(starts, proofs, STRINGS),
        pa.ListArray.from_arrays(starts, pa.array(scores), DOUBLES),
    )
