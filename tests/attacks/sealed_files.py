"""Searches all files of a folder for pairs of statements and proofs, in any encoding."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from proofmatch.builder.release.release import Release
from proofmatch.builder.release.schema import config_name

_COLUMNS = ["id", "statement_id", "proof_id", "statement", "proof", "statement_tokens", "proof_tokens"]


@dataclass(frozen=True)
class Marks:
    """What tells a statement, a proof or a pair: value → numbers of the pairs it stands for."""

    pairs: dict[str, set[int]]
    statements: dict[str, set[int]]
    proofs: dict[str, set[int]]

    @classmethod
    def of(cls, release: Release, *, by_article: bool = False) -> "Marks":
        """Take the ids, texts and tokens of the test pairs of an open release."""
        marks = cls({}, {}, {})
        rows = release.table(config_name("pairs", by_article), "test", _COLUMNS).to_pylist()
        for number, row in enumerate(rows):
            marks.pairs.setdefault(row["id"], set()).add(number)
            marks.pairs.setdefault(row["id"].partition("#")[2], set()).add(number)
            for side, known in (("statement", marks.statements), ("proof", marks.proofs)):
                for value in (row[f"{side}_id"], row[side], " ".join(row[f"{side}_tokens"])):
                    known.setdefault(value, set()).add(number)
        return marks

    def told_by(self, values: set[str]) -> set[int]:
        """Find the pairs that a record tells: by the pair's id, or by the marks of statement and proof."""
        whole, statements, proofs = (
            {number for value in values & known.keys() for number in known[value]}
            for known in (self.pairs, self.statements, self.proofs)
        )
        return whole | statements & proofs


def find_pairs(folder: Path, marks: Marks) -> dict[str, set[int]]:
    """Search every row, record and metadata of every file: file → the pairs that it tells."""
    found: dict[str, set[int]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        told = {number for record in _records(path) for number in marks.told_by(record)}
        content = path.read_bytes()
        told |= {number for mark, of in marks.pairs.items() if mark.encode() in content for number in of}
        if told:
            found[path.relative_to(folder).as_posix()] = told
    return found


def files_with(folder: Path, values: set[str]) -> set[str]:
    """Name the files that have one of some values in a row, a record or their metadata."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix()
        for path in paths
        if any(record & values for record in _records(path))
    }


def _records(path: Path) -> Iterator[set[str]]:
    """Take a file apart into records: rows and metadata of Parquet, objects of JSON, paragraphs of text."""
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            yield _metadata(file)
            for batch in file.iter_batches(batch_size=512):
                for row in batch.to_pylist():
                    yield set(_values(row))
    elif path.suffix == ".json":
        content = json.loads(path.read_text(encoding="utf-8"))
        yield set(_values(content))
    else:
        text = path.read_text(encoding="utf-8")
        yield {*text.split(), *text.splitlines(), *text.split("\n\n"), text}


def _metadata(file: pq.ParquetFile) -> set[str]:
    """Collect the strings in the metadata and statistics of a Parquet file."""
    pairs = (file.metadata.metadata or {}).items()
    found = {part.decode(errors="replace") for pair in pairs for part in pair}
    found |= {
        part.decode(errors="replace") for pair in (file.schema_arrow.metadata or {}).items() for part in pair
    }
    for group in range(file.metadata.num_row_groups):
        row_group = file.metadata.row_group(group)
        for column in range(row_group.num_columns):
            statistics = row_group.column(column).statistics
            if statistics is not None and statistics.has_min_max:
                found |= {str(statistics.min), str(statistics.max)}
    return found


def _values(content: Any) -> Iterator[str]:
    """List all strings of a value; a list of strings also as the text that it makes."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict):
        for key, value in content.items():
            yield key
            yield from _values(value)
    elif isinstance(content, list):
        if all(isinstance(value, str) for value in content):
            yield " ".join(content)
        for value in content:
            yield from _values(value)
