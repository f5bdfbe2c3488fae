"""Reading prediction files: strictly, and without holding them in memory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from proofmatch.progress import Progress

from ..task import Task
from .batch import PredictionBatch
from .checking import RowChecker
from .faults import FaultList
from .formats import opened, suffix_of
from .jsonl import parse_jsonl
from .numbering import NumberedBatch, Numbering
from .parquet import parse_parquet
from .parsed import DOUBLES, STRINGS, ParsedBatch
from .trec import parse_trec

_PARSERS: dict[str, tuple[Callable[[BinaryIO], Iterator[ParsedBatch]], str]] = {
    ".jsonl": (parse_jsonl, "line"),
    ".jsonl.gz": (parse_jsonl, "line"),
    ".parquet": (parse_parquet, "row"),
    ".trec": (parse_trec, "line"),
    ".trec.gz": (parse_trec, "line"),
}


def read_predictions(path: Path, task: Task) -> Iterator[PredictionBatch]:
    """Read a prediction file for a task, a batch at a time.

    Whoever uses a batch before the last one has been read must be ready for the file to turn out faulty.

    Args:
        path: The file: `.jsonl`, `.jsonl.gz`, `.parquet`, `.trec` or `.trec.gz`.
        task: What the predictions are for.

    Raises:
        ProofmatchError: After the last row if anything is wrong with the file, with all its faults.
    """
    statements, proofs = pa.array(task.statement_ids), pa.array(task.proof_ids)
    for batch in read_numbered(path, task):
        starts = pa.array(batch.starts, pa.int32())
        yield PredictionBatch(
            statements.take(pa.array(batch.statements)),
            pa.ListArray.from_arrays(starts, proofs.take(pa.array(batch.proofs)), STRINGS),
            None
            if batch.scores is None
            else pa.ListArray.from_arrays(starts, pa.array(batch.scores), DOUBLES),
        )


def read_numbered(path: Path, task: Task, progress: Progress | None = None) -> Iterator[NumberedBatch]:
    """Read a prediction file for a task like `read_predictions`, with ids as their places in the task."""
    where = f"{task.split} of {task.release.id}{' by article' if task.by_article else ''}"
    return _read(path, Numbering(task.statement_ids), Numbering(task.proof_ids), where, progress)


def read_growing(
    path: Path, statements: Numbering, proofs: Numbering, progress: Progress | None = None
) -> Iterator[NumberedBatch]:
    """Read a prediction file for no task in particular; its ids are added to growing numberings."""
    return _read(path, statements, proofs, str(path), progress)


def _read(
    path: Path, statements: Numbering, proofs: Numbering, where: str, progress: Progress | None
) -> Iterator[NumberedBatch]:
    parse, unit = _PARSERS[suffix_of(path)]
    faults = FaultList(path, unit)
    checker = RowChecker(statements, proofs, faults, where)
    with opened(path) as file:
        for batch in parse(file):
            checked = checker.check(batch)
            if len(checked):
                yield checked
            if progress is not None:
                _show(progress, len(batch.rows))
    checker.finish()
    faults.refuse_if_any()


def _show(progress: Progress, n_rows: int) -> None:
    for _ in range(n_rows):
        progress.advance()
