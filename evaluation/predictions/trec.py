"""TREC run files: a proof a line, `statement Q0 proof rank score tag`.

As in trec_eval the score decides and the rank is not looked at. Unlike there, ties are decided by the rule of
this project, against the gold proof, and not by the proofs' names.
"""

import math
from collections.abc import Iterator
from itertools import groupby
from typing import BinaryIO

from .faults import quoted
from .lines import read_lines
from .parsed import ParsedBatch, RowCollector

_FIELDS = "statement Q0 proof rank score tag"


def parse_trec(file: BinaryIO) -> Iterator[ParsedBatch]:
    """Read rows, a batch at a time; the lines of a statement must follow each other."""
    collector = RowCollector()
    for statement, lines in groupby(_read_fields(file, collector), key=lambda line: line[1]):
        numbers, _, proofs, scores = zip(*lines, strict=True)
        # Stable: of equal scores the first in the file is the first choice.
        best_first = sorted(range(len(scores)), key=lambda at: -scores[at])
        collector.add_row(
            numbers[0], statement, [proofs[at] for at in best_first], [scores[at] for at in best_first]
        )
        if collector.is_full:
            yield collector.take()
    yield collector.take()


def _read_fields(file: BinaryIO, collector: RowCollector) -> Iterator[tuple[int, str, str, float]]:
    for number, line in read_lines(file, collector):
        fields = line.split()
        if len(fields) != 6:
            collector.add_fault(number, None, f"has {len(fields)} fields, not the six {_FIELDS}")
            continue
        statement, _, proof, _, score, _ = fields
        value = _number(score)
        if value is None:
            collector.add_fault(number, statement, f"the score {quoted(score)} is not a finite number")
        else:
            yield number, statement, proof, value


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    # Python's own notation 1_000 is nobody else's.
    return value if math.isfinite(value) and "_" not in text else None
