"""Ids are unique and well-formed, and a statement's tells nothing about its proof's."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .evidence import Evidence
from .remarks import Fault, Finding, NotChecked, Remark
from .tables import CONFIG_BY_NAME, IDS, Table
from .vocabulary import as_bool

_DIGITS = 20
_PATTERNS = {name: rf"^{name[0]}-[0-9a-f]{{{_DIGITS}}}$" for name in ("statement_id", "proof_id")}

# Of 20 hexadecimal digits, 1.25 agree by chance; 12 or more do so once in two thousand million pairs.
_AGREEING_DIGITS = 12


def check_ids(evidence: Evidence) -> Iterator[Remark]:
    """Check the ids of every table."""
    for config in CONFIG_BY_NAME:
        yield from evidence.lacking(config)
    for (config, split), table in evidence.tables.items():
        place = f"{config} {split}"
        for name in table.ids:
            if name != "article_id":
                yield from _repeated(table.ids[name], name, place)
            if name in _PATTERNS:
                yield from _malformed(table.ids[name], name, place)
        if all(name in table.ids for name in IDS):
            yield from _not_of_article(table, place)
            yield from _telling(table, place)
    if evidence.has("pairs"):
        yield Finding(f"{sum(evidence.rows('pairs').values()):,} pairs, statements and proofs")


def _repeated(ids: pa.Array, name: str, place: str) -> Iterator[Fault]:
    counts = pc.value_counts(ids)
    repeated = counts.filter(pc.greater(counts.field("counts"), 1)).to_pylist()
    if repeated:
        cases = (f"{case['values']} ({case['counts']} times)" for case in repeated)
        yield Fault.about(f"{place} has the same {name} more than once", cases)


def _malformed(ids: pa.Array, name: str, place: str) -> Iterator[Fault]:
    malformed = ids.filter(pc.invert(pc.match_substring_regex(ids, _PATTERNS[name])))
    if len(malformed):
        form = f"{name[0]}- and {_DIGITS} hexadecimal digits"
        yield Fault.about(f"{place} has malformed {name}s, not {form}", malformed.to_pylist())


def _not_of_article(table: Table, place: str) -> Iterator[Fault]:
    pairs = zip(table.ids["id"].to_pylist(), table.ids["article_id"].to_pylist(), strict=True)
    wrong = [f"{pair} of article {article}" for pair, article in pairs if not pair.startswith(f"{article}#")]
    if wrong:
        yield Fault.about(f"{place} has ids that do not begin with their article's id and #", wrong)


def _telling(table: Table, place: str) -> Iterator[Remark]:
    """Find pairs whose two ids are evidently made of one another."""
    well_formed = pc.and_(
        *(pc.match_substring_regex(table.ids[name], pattern) for name, pattern in _PATTERNS.items())
    )
    if not as_bool(well_formed).all():
        yield NotChecked(f"{place}: whether ids tell each other, since some are malformed")
        return
    statements, proofs = (_digits(table.ids[name]) for name in _PATTERNS)
    _, distinct = np.unique(statements, axis=0, return_index=True)
    statements, proofs = statements[distinct], proofs[distinct]
    alike = np.zeros(len(distinct), bool)
    for other in (proofs, proofs[:, ::-1]):
        alike |= (statements == other).sum(axis=1) >= _AGREEING_DIGITS
    alike |= _rotated(statements, proofs)
    difference = statements ^ proofs
    # Two pairs with the same difference of 80 bits are no accident.
    _, group, sizes = np.unique(difference, axis=0, return_inverse=True, return_counts=True)
    alike |= sizes[group.reshape(-1)] > 1
    if alike.any():
        rows = np.sort(distinct[alike]).tolist()
        cases = (f"{table.ids['statement_id'][row]} and {table.ids['proof_id'][row]}" for row in rows)
        yield Fault.about(f"{place} has statement ids that tell the id of their proof", cases)


def _rotated(statements: np.ndarray, proofs: np.ndarray) -> np.ndarray:
    """Find ids that have the same digits, begun elsewhere, forwards or backwards."""
    rotated = (np.sort(statements, axis=1) == np.sort(proofs, axis=1)).all(axis=1)
    for row in np.flatnonzero(rotated):
        twice = statements[row].tobytes() * 2
        rotated[row] = any(digits.tobytes() in twice for digits in (proofs[row], proofs[row, ::-1]))
    return rotated


def _digits(ids: pa.Array) -> np.ndarray:
    """See the hexadecimal digits of well-formed ids as numbers, a row an id."""
    letters = np.frombuffer("".join(ids.to_pylist()).encode(), np.uint8).reshape(-1, _DIGITS + 2)[:, 2:]
    return np.where(letters >= ord("a"), letters - (ord("a") - 10), letters - ord("0"))
