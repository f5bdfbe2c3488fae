"""JSON Lines: one object a line, read strictly."""

import json
import math
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from .faults import quoted
from .lines import read_lines
from .parsed import ParsedBatch, RowCollector

KEYS = ("statement_id", "proof_ids", "scores")

_KINDS = {
    dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number", bool: "a boolean",
    type(None): "null",
}  # fmt: skip


def parse_jsonl(file: BinaryIO) -> Iterator[ParsedBatch]:
    """Read rows, a batch at a time."""
    collector = RowCollector()
    for number, line in read_lines(file, collector):
        if number == 1 and line.lstrip().startswith("["):
            collector.add_fault(
                1, None, "begins a JSON array; write one object a line, without brackets and commas"
            )
            break
        try:
            row = json.loads(line, object_pairs_hook=_object)
        except RecursionError:
            collector.add_fault(number, None, "is nested too deeply")
        except ValueError as error:
            collector.add_fault(number, None, _why_not_json(error))
        else:
            _add(collector, number, row)
        if collector.is_full:
            yield collector.take()
    yield collector.take()


def _add(collector: RowCollector, number: int, row: object) -> None:
    if not isinstance(row, dict):
        collector.add_fault(number, None, f"is {_KINDS[type(row)]}, not an object")
        return
    statement = row.get("statement_id")
    known = statement if isinstance(statement, str) and _is_unicode([statement]) else None
    problems = list(_problems(row))
    for problem in problems:
        collector.add_fault(number, known, problem)
    if known is not None:
        proofs, scores = (None, None) if problems else (row["proof_ids"], row.get("scores"))
        collector.add_row(number, known, proofs, _floats(scores) if scores is not None else None)


def _problems(row: dict[str, Any]) -> Iterator[str]:
    for key in row:
        if key not in KEYS:
            yield f"unknown key {quoted(key)}; keys are {', '.join(KEYS)}"
    for key in KEYS[:2]:
        if key not in row:
            yield f"has no {key}"
    if "statement_id" in row and not isinstance(row["statement_id"], str):
        yield f"statement_id is {_KINDS[type(row['statement_id'])]}, not a string"
    elif "statement_id" in row and not _is_unicode([row["statement_id"]]):
        yield "statement_id is not Unicode: it has half of a surrogate pair"
    if "proof_ids" in row:
        yield from _problems_of_list("proof_ids", row["proof_ids"], {str}, "strings")
    if row.get("scores") is not None:
        yield from _problems_of_list("scores", row["scores"], {float, int}, "numbers")


def _problems_of_list(key: str, values: object, allowed: set[type], what: str) -> Iterator[str]:
    if not isinstance(values, list):
        yield f"{key} is {_KINDS[type(values)]}, not a list of {what}"
    elif not set(map(type, values)) <= allowed:
        at = next(at for at, value in enumerate(values) if type(value) not in allowed)
        yield f"{key} must be {what}, but number {at + 1} is {_KINDS[type(values[at])]}"
    elif str in allowed and not _is_unicode(values):
        yield f"{key} has one that is not Unicode: it has half of a surrogate pair"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"has the key {quoted(repeated)} more than once")
    return made


def _why_not_json(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"is not JSON: {error.msg} at character {error.pos + 1}"
    if "integer string conversion" in str(error):
        return "has a number of thousands of digits"
    return str(error)


def _is_unicode(ids: list[str]) -> bool:
    try:
        "".join(ids).encode()
    except UnicodeEncodeError:
        return False
    return True


def _floats(scores: list[float]) -> list[float]:
    """Integers may be too large for a double; such a score is as little finite as 1e999."""
    if int not in set(map(type, scores)):
        return scores
    try:
        return list(map(float, scores))
    except OverflowError:
        return [math.inf if abs(score) > sys.float_info.max else float(score) for score in scores]
