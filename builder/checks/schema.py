"""Every file can be read and has the columns of the contract, and every row has what it should."""

from collections.abc import Iterator

from .evidence import Evidence
from .remarks import Finding, Remark


def check_schema(evidence: Evidence) -> Iterator[Remark]:
    """Report what was wrong with the files when they were read."""
    yield from evidence.reading_faults
    rows = sum(map(len, evidence.tables.values()))
    yield Finding(f"{rows:,} rows in {len(evidence.tables)} tables")
