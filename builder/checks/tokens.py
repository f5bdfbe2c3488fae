"""Every token is `kind[.font]:surface`, without white space, in a kind and font that exist."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

from ..linearization.fonts import MATHVARIANTS, UNMARKED
from ..release.schema import ROW_GROUP
from ..tokens import MATH, TEXT, parse_token
from .defects import UNREADABLE
from .evidence import Evidence
from .remarks import EXAMPLES, Fault, Finding, Remark

FONTS = MATHVARIANTS - UNMARKED


def check_tokens(evidence: Evidence) -> Iterator[Remark]:
    """Check the distinct tokens of all tables."""
    vocabulary = evidence.vocabulary
    malformed: dict[str, list[int]] = {}
    for number, token in enumerate(vocabulary.tokens):
        if problem := token_problem(token):
            malformed.setdefault(problem, []).append(number)
    for problem, numbers in malformed.items():
        examples = (
            _whereabouts(vocabulary.tokens[number], vocabulary.first_seen[number], evidence.folder)
            for number in numbers[:EXAMPLES]
        )
        yield Fault(f"{len(numbers):,} distinct tokens: {problem}", tuple(examples), len(numbers))
    yield Finding(f"{len(vocabulary):,} distinct tokens")


def token_problem(token: str) -> str | None:
    """Tell what is wrong with a token, or None."""
    if any(character.isspace() for character in token):
        return "white space in a token"
    try:
        kind, font, _ = parse_token(token)
    except ValueError:
        return "not of the form kind[.font]:surface, such as t:Let or m.bold:x"
    token_type = token.partition(":")[0]
    if kind == TEXT and token_type != TEXT:
        return "text with a font"
    if kind == MATH and token_type != MATH and font not in FONTS:
        return "an unknown font, or one that carries no mark"
    return None


def _whereabouts(token: str, file: Path, folder: Path) -> str:
    name = file.relative_to(folder).as_posix()
    try:
        return f"{token!r} in {_row_with(token, file)} ({name})"
    except UNREADABLE:
        return f"{token!r} in {name}"


def _row_with(token: str, file: Path) -> str:
    """Find the id of the first row with a token."""
    with pq.ParquetFile(file) as parquet:
        columns = parquet.schema_arrow.names
        lists = [column for column in columns if column.endswith("tokens")]
        for batch in parquet.iter_batches(batch_size=ROW_GROUP, columns=[columns[0], *lists]):
            for row in batch.to_pylist():
                tokens = (one for column in lists for one in row[column] or ())
                if any((one or "") == token for one in tokens):
                    return str(row[columns[0]])
    return "no row"
