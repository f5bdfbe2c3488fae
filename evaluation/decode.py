"""Scores → predictions: the three decodings that baselines and models share."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from .decoding.blocks import map_blocks
from .decoding.candidates import Candidates
from .decoding.exact import Round, match_exactly
from .decoding.pruned import match_candidates
from .decoding.retrieval import DEFAULT_K, best_candidates
from .decoding.sources import ScoreSource
from .left_over import serve_all
from .predictions.batch import PredictionBatch

DECODINGS = ("local", "global", "exact")
_ROWS = 1000  # of a batch, so that ids of a few thousand candidates at a time are in memory


@dataclass(frozen=True)
class Decoded:
    """A ranked list for each statement; of a one-to-one matching, with one proof in each.

    Attributes:
        lists: Places of proofs, best first, and their scores.
        details: What there is to say about the decoding, for the sidecar.
    """

    lists: Candidates
    details: dict[str, Any] = field(default_factory=dict)

    def batches(self, statement_ids: Sequence[str], proof_ids: Sequence[str]) -> Iterator[PredictionBatch]:
        """Put ids in the places of numbers."""
        names, starts = pa.array(proof_ids, pa.string()), self.lists.starts
        for first in range(0, len(statement_ids), _ROWS):
            ends = starts[first : first + _ROWS + 1]
            offsets = pa.array(ends - ends[0], pa.int32())
            columns = pa.array(self.lists.columns[ends[0] : ends[-1]])
            scores = pa.array(self.lists.scores[ends[0] : ends[-1]].astype(np.float64))
            yield PredictionBatch(
                pa.array(statement_ids[first : first + _ROWS], pa.string()),
                pa.ListArray.from_arrays(offsets, names.take(columns)),
                pa.ListArray.from_arrays(offsets, scores),
            )


def decode(source: ScoreSource, decoding: str = "local", top_k: int = DEFAULT_K) -> Decoded:
    """Decode scores.

    Args:
        source: The scores of all pairs.
        decoding: `local` ranks the best `top_k` proofs of each statement. `global` is one-to-one over these,
            `exact` over all pairs, with a proof that no other one-to-one matching has a greater total.
        top_k: How many proofs a statement.
    """
    if decoding not in DECODINGS:
        raise ProofmatchError(f"decode must be one of {', '.join(DECODINGS)}, not {decoding!r}")
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
        progress.summary = f"total score {matching.total:.3f}, {matching.n_unmatched} statements left over"
    columns = serve_all(matching.columns, candidates)
    listed = np.flatnonzero(columns[candidates.rows] == candidates.columns)
    details = {"top_k": top_k, "total": matching.total, "left_over": matching.n_unmatched}
    return Decoded(_one_each(columns, candidates.scores[listed], candidates.n_columns), details)


def _decode_exactly(source: ScoreSource, candidates: Candidates) -> Decoded:
    with Progress("matching exactly", "rounds") as progress:

        def show(finished: Round) -> None:
            progress.summary = f"total score {finished.total:.3f}, at most {finished.bound:.3f} is possible"
            progress.advance()

        matching = match_exactly(source, candidates, on_round=show)
    columns = serve_all(matching.columns, candidates)
    details = {
        "total": matching.total,
        "rounds": matching.rounds,
        "pairs_considered": matching.n_pairs,
        "left_over": matching.n_unmatched,
        "certificate": asdict(matching.certificate),
    }
    return Decoded(_one_each(columns, _scores_of(source, columns), candidates.n_columns), details)


def _one_each(columns: np.ndarray, scores: np.ndarray, n_columns: int) -> Candidates:
    return Candidates.from_arrays(columns[:, None], scores[:, None], n_columns)


def _scores_of(source: ScoreSource, columns: np.ndarray) -> np.ndarray:
    def own(start: int, scores: np.ndarray) -> np.ndarray:
        return scores[np.arange(len(scores)), columns[start : start + len(scores)]]

    return np.concatenate(list(map_blocks(source, own)))
