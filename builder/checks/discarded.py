"""`discarded.parquet` can be read, and tells of everything left out a reason that has a name."""

from collections import Counter
from collections.abc import Iterator

import pyarrow.parquet as pq

from ..reasons import Reason
from ..release.schema import DISCARDED_SCHEMA, ROW_GROUP
from .defects import UNREADABLE, WrongSchema, compare_schemas
from .evidence import Evidence
from .inventory import DISCARDED
from .remarks import Fault, Finding, NotChecked, Remark


def check_discarded(evidence: Evidence) -> Iterator[Remark]:
    """Check the reasons."""
    path = evidence.folder / DISCARDED
    if DISCARDED not in evidence.inventory.files:
        yield NotChecked(f"{DISCARDED}, which is missing")
        return
    reasons: Counter[str | None] = Counter()
    try:
        with pq.ParquetFile(path) as parquet:
            compare_schemas(parquet.schema_arrow, DISCARDED_SCHEMA)
            for batch in parquet.iter_batches(batch_size=ROW_GROUP):
                evidence.tick(DISCARDED)
                batch.validate(full=True)
                reasons.update(batch.column("reason").to_pylist())
    except (*UNREADABLE, WrongSchema) as error:
        yield Fault(f"{DISCARDED} cannot be used: {' '.join(str(error).split())}")
        return
    unknown = [f"{reason!r} ({count} times)" for reason, count in reasons.items() if not _is_known(reason)]
    if unknown:
        yield Fault.about(f"{DISCARDED} has reasons that are none of ours", unknown)
    yield Finding(f"{reasons.total():,} documents and pairs were left out")


def _is_known(reason: str | None) -> bool:
    return reason in list(Reason)
