"""Prediction files: read strictly and in constant memory, written completely or not at all."""

import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import numpy as np
import pyarrow as pa

from proofmatch.errors import NotFoundError, ProofmatchError, quoted
from proofmatch.progress import Progress
from proofmatch.ragged import Ragged
from proofmatch.storage import SourceChanged, atomic_file, open_regular, refuse_other_kind

from .parquet_reader import parse_parquet
from .prediction_formats import (
    DOUBLES,
    FAULTS_SHOWN,
    MOST_FAULTS,
    STRINGS,
    Fault,
    Limits,
    ParsedBatch,
    PredictionBatch,
    json_lines,
    looks_like_predictions,
    parse_jsonl,
    parse_trec,
    place_unit,
    suffix_of,
    write_file,
)
from .system import System, sidecar_of
from .task import Task, find_split

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER = 2**18  # bytes
_MOST_LISTED = 10_000_000  # proofs in memory; a larger file may have more
_MOST_NEW_IDS = 2**20  # likewise, for a file without its task


@dataclass(frozen=True, slots=True)
class NumberedBatch:
    """Some rows without fault, with numbers in place of ids."""

    statements: np.ndarray  # the statement of each row
    proofs: Ragged  # the proofs of each row, best first
    scores: np.ndarray | None  # one per listed proof, as long as `proofs.values`

    @classmethod
    def concatenate(cls, batches: "Sequence[NumberedBatch]") -> "NumberedBatch":
        """Join the batches of a file; there must be at least one."""
        scores = [batch.scores for batch in batches if batch.scores is not None]
        return cls(
            np.concatenate([batch.statements for batch in batches]),
            Ragged.concatenate([batch.proofs for batch in batches]),
            np.concatenate(scores) if scores else None,
        )

    def __len__(self) -> int:
        return len(self.statements)

    def with_ids(self, statement_ids: pa.Array, proof_ids: pa.Array) -> PredictionBatch:
        """Replace numbers with the ids they stand for."""
        starts = pa.array(self.proofs.starts, pa.int32())
        scores = self.scores
        return PredictionBatch(
            statement_ids.take(pa.array(self.statements)),
            pa.ListArray.from_arrays(starts, proof_ids.take(pa.array(self.proofs.values)), STRINGS),
            None if scores is None else pa.ListArray.from_arrays(starts, pa.array(scores), DOUBLES),
        )


class PredictionReader:
    """The valid rows of a prediction file, a batch at a time; the file is read once.

    Args:
        path: The file.
        ids: The statements and proofs that it may name.
        limits: Limits for a row.
        progress: Advanced after each row.
        task: The task it is for; None if that is unknown.

    A caller that uses batches before the last one must expect the file to turn out faulty: if it has any
    fault, iteration raises a ProofmatchError after the last row, with the first faults and their number.

    Attributes:
        sha256: After the last row, the hash of the bytes that were read.
        path: The file.
        size: From the first row on, the size of the file in bytes.
    """

    def __init__(
        self,
        path: Path,
        ids: "tuple[_Numbering, _Numbering]",
        limits: Limits,
        progress: Progress | None = None,
        task: Task | None = None,
    ) -> None:
        self.sha256 = ""
        self.size = 0
        self.path, self._ids, self._limits, self._progress, self._task = path, ids, limits, progress, task

    def __iter__(self) -> Iterator[NumberedBatch]:
        faults = _FaultList(self._name, self._unit)
        checker = _RowChecker(*self._ids, faults, self._limits.where)
        for batch in self._parsed():
            checked = checker.check(batch)
            if len(checked):
                yield checked
            if self._progress is not None:
                for _ in range(len(batch.rows)):
                    self._progress.advance()
            if batch.is_cut or faults.count >= MOST_FAULTS:
                self._refuse_other_split(checker, "first ")
                faults.refuse_if_any(at_least=True)
        self._refuse_other_split(checker)
        checker.finish()
        faults.refuse_if_any()

    @property
    def _name(self) -> str:
        """The name of the predictions in messages."""
        return str(self.path)

    @property
    def _unit(self) -> str:
        """The name of a place in messages."""
        return place_unit(self.path)

    def _refuse_other_split(self, checker: "_RowChecker", first: str = "") -> None:
        """If the predictions are for another split, name that split instead of listing every fault."""
        if self._task is None or not checker.has_unknown_statements_only:
            return
        task, unknown = self._task, checker.unknown_statements
        found = find_split(task.release, unknown)
        remedy = f"they match none of its splits: give --data the release that {self._name} is for"
        if found is not None:
            split, by_article = found
            family = " without" * (task.by_article and not by_article) + " --by-article"
            option = f"--split {split}" + family * (task.by_article or by_article)
            remedy = f"all are in {split}{' by article' * by_article}: use {option}"
        of = f"{first}{len(unknown):,} statements is" if len(unknown) > 1 else "statements is"
        raise ProofmatchError(
            f"{self._name} was not used: none of its {of} in {self._limits.where}; {remedy}"
        )

    @property
    def n_new_ids(self) -> int:
        """The number of different ids read so far, if the task is unknown."""
        return sum(len(ids) for ids in self._ids if ids.growing)

    def _parsed(self) -> Iterator[ParsedBatch]:
        suffix = suffix_of(self.path)
        try:
            with open_regular(self.path) as file:
                self.size = os.fstat(file.fileno()).st_size
                if suffix == ".parquet":
                    yield from self._parsed_parquet(file)
                else:
                    yield from self._parsed_text(file, suffix)
        except FileNotFoundError:
            raise NotFoundError(f"{self.path} cannot be read (No such file or directory)") from None
        except OSError as error:
            raise ProofmatchError(f"{self.path} cannot be read ({error.strerror or error})") from None

    def _parsed_text(self, file: BinaryIO, suffix: str) -> Iterator[ParsedBatch]:
        hashed = _HashedFile(file)
        parse = parse_jsonl if suffix.startswith(".jsonl") else parse_trec
        buffered = cast(BinaryIO, io.BufferedReader(hashed, _BUFFER))
        unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=buffered)) if suffix.endswith(".gz") else buffered
        yield from parse(unpacked, self._limits)
        while buffered.read(_BUFFER):
            pass  # nothing, unless the parser stopped early
        self.sha256 = hashed.sha256.hexdigest()

    def _parsed_parquet(self, file: io.BufferedReader) -> Iterator[ParsedBatch]:
        # Parquet is not read from beginning to end, so the file must still be the same when it is hashed.
        before = _state(file)
        yield from parse_parquet(file, self._limits)
        file.seek(0)
        self.sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        if _state(file) != before:
            raise SourceChanged(self.path)


class _HashedFile(io.RawIOBase):
    """Hashes what is read from a file."""

    def __init__(self, file: BinaryIO) -> None:
        self.sha256 = hashlib.sha256()
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        content = self._file.read(len(memoryview(buffer)))
        self.sha256.update(content)
        memoryview(buffer)[: len(content)] = content
        return len(content)


class ObjectReader(PredictionReader):
    """The rows of predictions that are Python objects, checked like the rows of a file.

    Args:
        name: The name of the predictions in messages, such as `the dict`.
        batches: Their rows.
        task: The task they are for.

    Attributes:
        sha256: After the last row, the hash of the JSON Lines file that the rows would make.
    """

    def __init__(self, name: str, batches: Iterable[ParsedBatch], task: Task) -> None:
        super().__init__(Path(), _numberings(task), limits_of(task), task=task)
        self._object, self._batches = name, batches

    @property
    def _name(self) -> str:
        return self._object

    @property
    def _unit(self) -> str:
        return "row"

    def _parsed(self) -> Iterator[ParsedBatch]:
        digest = hashlib.sha256()
        for batch in self._batches:
            for line in json_lines([_without_nulls(batch.rows)], allow_nan=True):
                digest.update(line.encode())
            yield batch
        self.sha256 = digest.hexdigest()


def _without_nulls(rows: PredictionBatch) -> PredictionBatch:
    """Drop the column of scores if no row has any."""
    has_scores = rows.scores is not None and rows.scores.null_count < len(rows)
    return rows if has_scores else PredictionBatch(rows.statement_ids, rows.proof_ids, None)


def _state(file: BinaryIO) -> tuple[int, int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def read_predictions(path: Path, task: Task, progress: Progress | None = None) -> PredictionReader:
    """Read a prediction file for a task, with ids as positions in the task."""
    return PredictionReader(path, _numberings(task), limits_of(task), progress, task)


def limits_of(task: Task) -> Limits:
    """Derive the limits for a row of predictions for a task."""
    where = f"{task.split} of {task.release.id}{' by article' if task.by_article else ''}"
    return Limits.of_task(task.statement_ids, task.proof_ids, where)


def _numberings(task: Task) -> "tuple[_Numbering, _Numbering]":
    return _Numbering(task.statement_ids), _Numbering(task.proof_ids)


def read_whole(reader: PredictionReader) -> list[NumberedBatch]:
    """Read all rows of a file into memory.

    Raises:
        ProofmatchError: If the file has any fault, or lists far more proofs than its size suggests.
    """
    batches, n_listed = [], 0
    for batch in reader:
        n_listed += len(batch.proofs.values)
        most, most_ids = max(_MOST_LISTED, reader.size // 2), max(_MOST_NEW_IDS, reader.size // 64)
        if n_listed > most or reader.n_new_ids > most_ids:
            what = f"{most:,} proofs" if n_listed > most else f"{most_ids:,} different ids"
            raise ProofmatchError(
                f"{reader.path} lists more than {what}, which would take gigabytes of memory; "
                "list fewer proofs per statement"
            )
        batches.append(batch)
    return batches


def read_all(path: Path, progress: Progress | None = None) -> tuple[list[str], list[str], NumberedBatch]:
    """Read a whole file without a task: the ids of its statements and proofs, and rows with their numbers."""
    statements, proofs = _Numbering(growing=True), _Numbering(growing=True)
    reader = PredictionReader(path, (statements, proofs), Limits.without_task(), progress)
    rows = NumberedBatch.concatenate(read_whole(reader))
    return statements.ids, proofs.ids, rows


def check_predictions_name(path: Path) -> None:
    """Refuse a name for predictions with an unknown suffix, or the name of another kind of file.

    Raises:
        ProofmatchError: If there is such a file.
    """
    suffix = suffix_of(path)
    refuse_other_kind(path, "a prediction file", lambda path: looks_like_predictions(path, suffix))


def write_predictions(path: Path, batches: Iterable[PredictionBatch], system: System) -> None:
    """Write a prediction file in the format of its suffix, and `<its name>.system.json` beside it.

    Raises:
        ProofmatchError: If the file cannot be written, or a row has a fault that a reader would refuse.
    """
    check_predictions_name(path)
    suffix = suffix_of(path)
    with atomic_file(path) as temporary:
        write_file(temporary, suffix, _checked(path, batches))
        text = json.dumps(system.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        with atomic_file(sidecar_of(path)) as temporary_sidecar:
            temporary_sidecar.write_text(text + "\n", encoding="utf-8")


def _checked(path: Path, batches: Iterable[PredictionBatch]) -> Iterator[PredictionBatch]:
    """Check rows as a reader would, so that what is written can be read."""
    faults = _FaultList(str(path), "row")
    checker = _RowChecker(_Numbering(growing=True), _Numbering(growing=True), faults, str(path))
    first = 1
    for batch in batches:
        proofs = batch.proof_ids.cast(STRINGS)
        scores = pa.nulls(len(batch), DOUBLES) if batch.scores is None else batch.scores.cast(DOUBLES)
        rows = PredictionBatch(batch.statement_ids, proofs, scores)
        checker.check(ParsedBatch(rows, first + np.arange(len(batch)), []))
        first += len(batch)
        faults.refuse_if_any()
        yield PredictionBatch(batch.statement_ids, proofs, None if batch.scores is None else scores)
    checker.finish()
    faults.refuse_if_any()


class _Numbering:
    """Numbers ids from 0; if `growing`, unknown ids get numbers as they appear."""

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
        """Look up the number of each id; unknown ones get negative numbers, equal ones the same."""
        encoded = ids.dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        known = self._numbers
        if self.growing:
            table = [known.setdefault(id_, len(known)) for id_ in distinct]
        else:
            table = [known.get(id_, -1 - at) for at, id_ in enumerate(distinct)]
        return np.array(table, dtype=np.int64)[encoded.indices.to_numpy()]


class _FaultList:
    """Counts the faults of a file and keeps the first ones."""

    def __init__(self, name: str, unit: str) -> None:
        self.unit = unit  # what a place is: `line` or `row`
        self.count = 0
        self.is_of_other_split = False  # whether the file seems to be for other statements
        self._name = name
        self._shown: list[str] = []

    def add(self, faults: Iterable[Fault], n_more: int = 0) -> None:
        """Add the faults of some rows, in any order, and a number of faults that will not be shown."""
        self.count += n_more
        for fault in sorted(faults, key=lambda fault: fault.place or 0):
            self.count += 1
            if len(self._shown) < FAULTS_SHOWN:
                self._shown.append(self._describe(fault))

    def refuse_if_any(self, *, at_least: bool = False) -> None:
        """Raise a ProofmatchError with the first faults, one per line, and their number.

        Args:
            at_least: Whether there may be more, because reading stopped.
        """
        if self.count:
            number = f"{'at least ' * at_least}{self.count:,} fault{'s' * (self.count > 1)}"
            head = f"{self._name} has {number} and was not used:"
            n_more = self.count - len(self._shown)
            more = [f"and {'at least ' * at_least}{n_more:,} more"] if n_more else []
            hint = ["is it for another split? --split and --by-article choose it"]
            raise ProofmatchError(
                "\n  ".join([head, *self._shown, *more, *(hint if self.is_of_other_split else [])])
            )

    def _describe(self, fault: Fault) -> str:
        place = [f"{self.unit} {fault.place:,}"] if fault.place is not None else []
        statement = [f"({quoted(fault.statement)})"] if fault.statement is not None else []
        where = " ".join(place + statement)
        return f"{where}: {fault.problem}" if where else fault.problem


@dataclass(frozen=True)
class _Lists:
    """The lists of some rows."""

    ids: pa.ListArray  # the ids of the proofs, null in faulty rows
    usable: np.ndarray  # whether a row has proofs
    scored: np.ndarray  # whether a row has scores
    proofs: Ragged  # the proofs as numbers, negative if unknown
    scores: Ragged


class _RowChecker:
    """Checks rows against each other and the task as they are read, and numbers those without fault."""

    def __init__(self, statements: _Numbering, proofs: _Numbering, faults: _FaultList, where: str) -> None:
        self._statements, self._proofs, self._faults = statements, proofs, faults
        self._where = where  # the name of the task, for messages
        self._place_of: dict[int, int] = {}  # of each statement that has been read
        self.unknown_statements: list[str] = []  # of rows whose statement is not in the task
        self._has_malformed = False  # whether the reader found faults
        self._first: tuple[int, bool] | None = None  # place of the first row, and whether it has scores

    @property
    def has_unknown_statements_only(self) -> bool:
        """Whether there are rows, of the right form and for different statements, and none is in the task."""
        unknown = self.unknown_statements
        is_whole = not self._has_malformed and len(set(unknown)) == len(unknown)
        return bool(unknown) and not self._place_of and is_whole

    def check(self, batch: ParsedBatch) -> NumberedBatch:
        """Report the faults of some rows and return the others."""
        names, ids, scores = batch.rows.statement_ids, batch.rows.proof_ids, batch.rows.scores
        assert scores is not None  # noqa: S101 - readers leave nulls where there are no scores
        statements = self._statements.numbers(names)
        lengths = ids.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        proofs = Ragged.from_lengths(self._proofs.numbers(ids.flatten()), lengths)
        usable, scored = np.asarray(ids.is_valid()), np.asarray(scores.is_valid())
        lists = _Lists(ids, usable, scored, proofs, Ragged.from_arrow(scores))
        found = [*self._wrong_statements(statements, batch), *self._wrong_lists(lists, batch)]
        faults = [Fault(int(batch.places[row]), names[row].as_py(), problem) for row, problem in found]
        self._has_malformed |= bool(batch.faults)
        self._faults.add([*batch.faults, *faults], batch.n_more_faults)
        kept = usable.copy()
        kept[[row for row, _ in found]] = False
        rows, values = np.flatnonzero(kept), lists.scores
        if not kept.all():
            proofs, values = proofs.take(rows), values.take(rows)
        return NumberedBatch(statements[rows], proofs, values.values if scored[rows].any() else None)

    def finish(self) -> None:
        """Report the statements without a row."""
        if not self._place_of and self._faults.count:
            return  # nothing could be read, and the reason has been reported
        if not self._place_of:
            self._faults.add([Fault(None, None, "there are no rows")])
        missing = [name for number, name in enumerate(self._statements.ids) if number not in self._place_of]
        if 2 * len(missing) > len(self._statements):
            self._faults.is_of_other_split = True
        self._faults.add(
            Fault(None, None, f"statement {quoted(name)} is missing; give it a row") for name in missing
        )

    def _wrong_statements(self, statements: np.ndarray, batch: ParsedBatch) -> Iterator[tuple[int, str]]:
        for row, number in enumerate(statements.tolist()):
            if number < 0:
                self.unknown_statements.append(batch.rows.statement_ids[row].as_py())
                yield row, f"there is no such statement in {self._where}"
            elif number in self._place_of:
                earlier = f"{self._faults.unit} {self._place_of[number]:,}"
                yield row, f"the statement is also in {earlier}; give it once, in one place"
            else:
                self._place_of[number] = int(batch.places[row])
        self._faults.is_of_other_split = len(self.unknown_statements) > len(self._place_of)

    def _wrong_lists(self, lists: _Lists, batch: ParsedBatch) -> Iterator[tuple[int, str]]:
        lengths = lists.proofs.lengths
        for row in np.flatnonzero(lists.usable & (lengths == 0)).tolist():
            yield row, "lists no proof; list at least one"
        if not self._proofs.growing:
            for row in np.flatnonzero(lengths > len(self._proofs)).tolist():
                yield row, f"lists {lengths[row]:,} proofs, but there are only {len(self._proofs):,}"
        for row, at, count in _first_in_rows(lists.proofs, np.flatnonzero(lists.proofs.values < 0)):
            others = f" and {count - 1:,} more" if count > 1 else ""
            name = quoted(lists.ids[row][at].as_py())
            yield row, f"proof {name}{others}: there is no such proof in {self._where}"
        for row, at, _ in _first_in_rows(lists.proofs, _repeated(lists.proofs)):
            yield row, f"proof {quoted(lists.ids[row][at].as_py())} is listed more than once"
        yield from self._wrong_scores(lists, batch)

    def _wrong_scores(self, lists: _Lists, batch: ParsedBatch) -> Iterator[tuple[int, str]]:
        if self._first is None and lists.usable.any():
            row = int(lists.usable.argmax())
            self._first = int(batch.places[row]), bool(lists.scored[row])
        if self._first is not None:
            place, scored = self._first
            for row in np.flatnonzero(lists.usable & (lists.scored != scored)).tolist():
                has = "has no scores" if scored else "has scores"
                unlike = f"{self._faults.unit} {place:,}"
                yield row, f"{has}, unlike {unlike}; give scores in all rows or in none"
        n_proofs, n_scores = lists.proofs.lengths, lists.scores.lengths
        for row in np.flatnonzero(lists.usable & lists.scored & (n_proofs != n_scores)).tolist():
            found = f"{n_proofs[row]:,} proofs and {n_scores[row]:,} scores"
            yield row, f"has {found}; give a score for each proof"
        values = lists.scores.values
        for row, at, _ in _first_in_rows(lists.scores, np.flatnonzero(~np.isfinite(values))):
            yield row, f"score {at + 1:,} is not finite; give a number"
        increasing = np.flatnonzero(values[1:] > values[:-1]) + 1
        increasing = increasing[~np.isin(increasing, lists.scores.starts)]
        for row, at, _ in _first_in_rows(lists.scores, increasing):
            yield row, f"score {at + 1:,} is greater than the one before it; list proofs best first"


def _repeated(proofs: Ragged) -> np.ndarray:
    """Find the places of proofs that the same row has listed before, in ascending order."""
    if not len(proofs.values):
        return np.empty(0, dtype=np.int64)
    keys = proofs.rows * (np.ptp(proofs.values) + 1) + proofs.values
    if (np.diff(np.sort(keys)) != 0).all():
        return np.empty(0, dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    return np.sort(order[1:][np.diff(keys[order]) == 0])


def _first_in_rows(lists: Ragged, places: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """For each row with some of the places: the row, the position of the first in it, and their number."""
    rows = np.searchsorted(lists.starts, places, side="right") - 1
    found, first, counts = np.unique(rows, return_index=True, return_counts=True)
    positions = places[first] - lists.starts[found]
    return zip(found.tolist(), positions.tolist(), counts.tolist(), strict=True)
