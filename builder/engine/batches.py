"""The stream of documents, cut into batches: the unit of work, of storage and of resumption."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from ..readers.documents import Document
from ..settings import MEBIBYTE

# Small batches keep all workers busy until the end of a small corpus; on a large one, batches grow with what
# has been read, so that there are thousands of parts and not millions. The cap bounds what is in flight.
SMALLEST_BATCH = 4 * MEBIBYTE
LARGEST_BATCH = 8 * MEBIBYTE
SHARE_OF_READ = 1 / 32
MOST_DOCUMENTS = 2000


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive documents of the sources.

    Attributes:
        index: Its place in the stream.
        fingerprint: Changes when any of its documents does.
        documents: The documents.
    """

    index: int
    fingerprint: str
    documents: tuple[Document, ...]

    @property
    def part_name(self) -> str:
        """The file name of its part; a changed document changes the name, so stale work is not reused."""
        return f"part-{self.index:06d}-{self.fingerprint}.arrow"


def cut_into_batches(documents: Iterable[Document]) -> Iterator[Batch]:
    """Cut a stream of documents; where the cuts are depends on the documents alone."""
    index = read_bytes = batch_bytes = 0
    collected: list[Document] = []
    for document in documents:
        collected.append(document)
        batch_bytes += document.size
        limit = min(LARGEST_BATCH, max(SMALLEST_BATCH, int(read_bytes * SHARE_OF_READ)))
        if batch_bytes >= limit or len(collected) >= MOST_DOCUMENTS:
            yield _batch(index, collected)
            index, read_bytes, batch_bytes, collected = index + 1, read_bytes + batch_bytes, 0, []
    if collected:
        yield _batch(index, collected)


def _batch(index: int, documents: list[Document]) -> Batch:
    fingerprint = blake2b(digest_size=8)
    for document in documents:
        fingerprint.update(document.stamp.encode() + b"\n")
    return Batch(index, fingerprint.hexdigest(), tuple(documents))
