"""Scores → predictions by local, global or exact decoding; prediction file → one-to-one prediction file."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged

from .decoding.candidates import DEFAULT_K, Candidates, best_candidates
from .decoding.exact.solver import Round, match_exactly
from .decoding.matching import fill_unmatched, match_candidates
from .decoding.scores import ScoreSource, scores_of_pairs
from .prediction_formats import PredictionBatch
from .predictions import NumberedBatch, read_all, write_predictions
from .system import read_system

DECODINGS = ("local", "global", "exact")
_ROWS_PER_BATCH = 1000  # bounds how many ids are in memory at once


@dataclass(frozen=True)
class Decoded:
    """A ranked list for each statement; after one-to-one matching, with one proof in each."""

    lists: Candidates  # proofs by number, best first, and their scores
    details: dict[str, Any] = field(default_factory=dict)  # facts about the decoding, for the sidecar

    def batches(self, statement_ids: Sequence[str], proof_ids: Sequence[str]) -> Iterator[PredictionBatch]:
        """Replace numbers with ids, some rows at a time."""
        statements, proofs = pa.array(statement_ids, pa.string()), pa.array(proof_ids, pa.string())
        lists = Ragged(self.lists.columns, self.lists.starts)
        for first in range(0, len(lists), _ROWS_PER_BATCH):
            stop = min(first + _ROWS_PER_BATCH, len(lists))
            scores = self.lists.scores[lists.starts[first] : lists.starts[stop]].astype(np.float64)
            batch = NumberedBatch(np.arange(first, stop), lists.slice(first, stop), scores)
            yield batch.with_ids(statements, proofs)


def decode(source: ScoreSource, decoding: str = "local", top_k: int = DEFAULT_K) -> Decoded:
    """Decode scores.

    Args:
        source: The scores of all pairs.
        decoding: `local` ranks the best `top_k` proofs of each statement. `global` is one-to-one over these,
            `exact` is one-to-one over all pairs, with a certificate of optimality.
        top_k: How many proofs per statement.
    """
    check_choice("decode", decoding, DECODINGS)
    with Progress("ranking proofs", "blocks") as progress:
        candidates = best_candidates(source, top_k)
        progress.summary = (
            f"{candidates.n_rows:,} statements, the best {min(top_k, candidates.n_columns):,} proofs"
        )
    if decoding == "local":
        return Decoded(candidates, {"top_k": top_k})
    if decoding == "global":
        return _decode_globally(candidates, top_k)
    return _decode_exactly(source, candidates)


def _decode_globally(candidates: Candidates, top_k: int) -> Decoded:
    with Progress("matching", "rounds") as progress:
        matching = match_candidates(candidates)
        progress.summary = f"total score {matching.total:.3f}, {matching.n_unmatched} statements unmatched"
    details = {"top_k": top_k, "total": matching.total, "left_over": matching.n_unmatched}
    return Decoded(_chosen(candidates, matching.columns), details)


def _decode_exactly(source: ScoreSource, candidates: Candidates) -> Decoded:
    with Progress("matching exactly", "rounds") as progress:

        def show(finished: Round) -> None:
            progress.summary = f"total score {finished.total:.3f}, upper bound {finished.bound:.3f}"
            progress.advance()

        matching = match_exactly(source, candidates, on_round=show)
    details = {
        "total": matching.total,
        "rounds": matching.rounds,
        "pairs_considered": matching.n_pairs,
        "left_over": matching.n_unmatched,
        "certificate": asdict(matching.certificate),
    }
    # A matched pair need not be among the candidates.
    columns = fill_unmatched(matching.columns, candidates)
    rows = np.arange(len(columns) + 1)
    scores = scores_of_pairs(source, rows[:-1], columns)
    return Decoded(Candidates(rows, columns, scores, candidates.n_columns), details)


def _chosen(candidates: Candidates, columns: np.ndarray) -> Candidates:
    """Keep one candidate per row: the matched one, or for an unmatched row the best."""
    columns = fill_unmatched(columns, candidates)
    scores = candidates.scores[columns[candidates.rows] == candidates.columns]
    return Candidates(np.arange(len(columns) + 1), columns, scores, candidates.n_columns)


@dataclass(frozen=True, slots=True)
class MatchedFile:
    """The outcome of one-to-one matching of a prediction file."""

    n_statements: int
    n_proofs: int  # different proofs that they list
    n_unmatched: int  # statements that share a proof with another because all their candidates are taken


def match_predictions(
    predictions: str | Path, out: str | Path, progress: Progress | None = None
) -> MatchedFile:
    """Match statements and proofs one-to-one with the greatest total score, one proof per statement.

    As many statements as possible are matched. A prediction file needs a proof for every statement, so those
    that stay unmatched keep their best candidate.
    """
    path = Path(predictions)
    statement_ids, proof_ids, candidates = _read_candidates(path, progress)
    matching = match_candidates(candidates)
    total = matching.total if np.isfinite(matching.total) else None
    details = {"total": total, "left_over": matching.n_unmatched}
    system = read_system(path)
    # The details of an earlier decoding no longer apply.
    kept = {name: value for name, value in system.extra.items() if name != "details"}
    system = replace(system, decoding="global", extra=kept | {"matching": details})
    decoded = Decoded(_chosen(candidates, matching.columns))
    write_predictions(Path(out), decoded.batches(statement_ids, proof_ids), system)
    return MatchedFile(len(statement_ids), len(proof_ids), matching.n_unmatched)


def _read_candidates(path: Path, progress: Progress | None) -> tuple[list[str], list[str], Candidates]:
    """Read all candidates, with statements and proofs numbered in the order of their ids.

    The numbering decides between equally good matchings, so it must not depend on the order of the file.
    """
    statements, proofs, lists = read_all(path, progress)
    if lists.scores is None:
        raise ProofmatchError(f"{path} has no scores, which matching needs; write them as well")
    statement_ids, new_row = _sorted(statements)
    proof_ids, new_column = _sorted(proofs)
    rows, columns = new_row[lists.statements[lists.proofs.rows]], new_column[lists.proofs.values]
    shape = len(statement_ids), len(proof_ids)
    return statement_ids, proof_ids, Candidates.from_rows(rows, columns, lists.scores, shape)


def _sorted(ids: list[str]) -> tuple[list[str], np.ndarray]:
    """Sort ids, and return the new position of each."""
    order = np.argsort(np.array(ids, dtype=object))
    return [ids[at] for at in order], np.argsort(order)
