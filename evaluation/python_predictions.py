"""Predictions as Python objects: a dict, a DataFrame or a score matrix → the rows of a prediction file."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError

from .prediction_formats import KEYS, PROOFS_PER_BATCH, Limits, ParsedBatch, PredictionBatch, parse_rows
from .predictions import ObjectReader, limits_of
from .task import Task

if TYPE_CHECKING:
    import pandas as pd

_PAIRS = ("statement_id", "proof_id", "score", "rank")  # columns of a table with a row for each pair


def read_objects(
    predictions: Any,  # noqa: ANN401 - any object; unsupported ones are refused
    task: Task,
    statement_ids: Sequence[str] | None = None,
    proof_ids: Sequence[str] | None = None,
) -> ObjectReader:
    """Read predictions that are Python objects.

    Args:
        predictions: `{statement_id: [proof_id, …]}` or `{statement_id: {proof_id: score}}`; a DataFrame with
            a row for each pair (`statement_id`, `proof_id`, and `score` or `rank`) or for each statement
            (`statement_id`, `proof_ids`, maybe `scores`); or a matrix of scores.
        task: The task they are for.
        statement_ids: The statements of the rows of a matrix.
        proof_ids: The proofs of the columns of a matrix.

    Raises:
        ProofmatchError: If they are something else; faults in rows are reported when they are read.
    """
    limits = limits_of(task)
    has_ids = statement_ids is not None or proof_ids is not None
    if not has_ids and isinstance(predictions, Mapping):
        return ObjectReader("the dict", parse_rows(_rows_of_dict(predictions), limits), task)
    if not has_ids and _is_frame(predictions):
        return ObjectReader("the DataFrame", parse_rows(_rows_of_frame(predictions), limits), task)
    if statement_ids is None or proof_ids is None:
        raise ProofmatchError(
            f"predictions must be a file, a dict, a DataFrame, or a matrix of scores with statement_ids and "
            f"proof_ids, not {type(predictions).__name__}"
        )
    matrix = _matrix(predictions, statement_ids, proof_ids)
    ids = [
        _id_column(values, name, limits)
        for name, values in (("statement", statement_ids), ("proof", proof_ids))
    ]
    return ObjectReader("the score matrix", _batches_of_matrix(matrix, *ids), task)


def _rows_of_dict(predictions: Mapping[Any, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for place, (statement, listed) in enumerate(predictions.items(), start=1):
        row = {"statement_id": _plain(statement)}
        if isinstance(listed, Mapping):
            yield (
                place,
                row | _best_first([_plain(key) for key in listed], [_plain(one) for one in listed.values()]),
            )
        else:
            yield place, row | {"proof_ids": _plain(listed)}


def _best_first(proofs: list[Any], scores: list[Any]) -> dict[str, list[Any]]:
    """Sort by score, stably for ties; values that are not numbers are left to the checks of the row."""
    if all(type(score) in (int, float) for score in scores):
        order = sorted(range(len(scores)), key=lambda at: -scores[at] if scores[at] == scores[at] else np.inf)
        proofs, scores = [proofs[at] for at in order], [scores[at] for at in order]
    return {"proof_ids": proofs, "scores": scores}


def _is_frame(predictions: object) -> bool:
    pandas = sys.modules.get("pandas")  # without pandas loaded, nothing is a DataFrame
    return pandas is not None and isinstance(predictions, pandas.DataFrame)


def _rows_of_frame(frame: "pd.DataFrame") -> Iterator[tuple[int, dict[str, Any]]]:
    names = [str(name) for name in frame.columns]
    if set(names) in ({*KEYS[:2]}, {*KEYS}) and len(names) <= len(KEYS):
        columns = [frame[name].tolist() for name in names]
        for place, values in enumerate(zip(*columns, strict=True), start=1):
            yield place, dict(zip(names, map(_plain, values), strict=True))
        return
    if not {*_PAIRS[:2]} < set(names) <= {*_PAIRS} or len(names) > len(_PAIRS):
        raise ProofmatchError(
            f"the DataFrame has the columns {', '.join(names) or 'none'}; give statement_id, proof_id and "
            "score or rank, with a row for each pair, or statement_id, proof_ids and maybe scores"
        )
    by = "score" if "score" in names else "rank"
    numbers = frame[by].tolist()
    statements = [_plain(statement) for statement in frame["statement_id"].tolist()]
    rows: dict[str, list[int]] = {}  # by the repr of an id, because an invalid id may not be hashable
    for number, statement in enumerate(statements):
        rows.setdefault(repr(statement), []).append(number)
    proofs = [_plain(proof) for proof in frame["proof_id"].tolist()]
    for places in rows.values():
        statement = statements[places[0]]
        row: dict[str, Any] = {"statement_id": statement}
        listed, values = [proofs[at] for at in places], [_plain(numbers[at]) for at in places]
        if by == "score":
            row |= _best_first(listed, values)
        else:
            row["proof_ids"] = _by_rank(statement, listed, values)
        yield places[0] + 1, row


def _by_rank(statement: object, proofs: list[Any], ranks: list[Any]) -> list[Any]:
    if len(set(ranks)) < len(ranks) or not all(type(rank) in (int, float) and rank >= 1 for rank in ranks):
        raise ProofmatchError(f"the ranks of {statement!r} are not distinct numbers from 1 on; correct them")
    return [proofs[at] for at in sorted(range(len(ranks)), key=ranks.__getitem__)]


def _plain(value: Any) -> Any:  # noqa: ANN401 - any value
    """Turn arrays, tensors and tuples into lists, and NumPy's numbers and strings into Python's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        return str(value)
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _matrix(scores: Any, statement_ids: Sequence[str], proof_ids: Sequence[str]) -> np.ndarray:  # noqa: ANN401
    try:
        matrix = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise ProofmatchError("the scores are not a matrix of numbers") from None
    if matrix.shape != (len(statement_ids), len(proof_ids)):
        raise ProofmatchError(
            f"the scores have the shape {matrix.shape}, but there are {len(statement_ids):,} statement_ids "
            f"and {len(proof_ids):,} proof_ids; give a row for each statement and a column for each proof"
        )
    return matrix


def _id_column(ids: Iterable[Any], side: str, limits: Limits) -> pa.Array:
    plain = [_plain(one) for one in ids]
    wrong = [one for one in plain if not isinstance(one, str) or len(one) > limits.longest_id]
    try:
        if not wrong:
            return pa.array(plain, pa.string())
    except UnicodeEncodeError:
        wrong = plain[:1]
    raise ProofmatchError(f"{side}_ids must be ids, which are strings, not {wrong[0]!r}")


def _batches_of_matrix(matrix: np.ndarray, statements: pa.Array, proofs: pa.Array) -> Iterator[ParsedBatch]:
    n_rows, n_columns = matrix.shape
    height = max(1, PROOFS_PER_BATCH // max(1, n_columns))
    for start in range(0, n_rows, height):
        block = matrix[start : start + height]
        order = np.argsort(-block, axis=1, kind="stable")
        starts = pa.array(np.arange(len(block) + 1) * n_columns, pa.int32())
        scores = np.take_along_axis(block, order, axis=1).ravel()
        rows = PredictionBatch(
            statements.slice(start, len(block)),
            pa.ListArray.from_arrays(starts, proofs.take(pa.array(order.ravel()))),
            pa.ListArray.from_arrays(starts, pa.array(scores, pa.float64())),
        )
        yield ParsedBatch(rows, start + 1 + np.arange(len(block)), [])
