"""The local engine: documents → batches → parts, over worker processes on this machine."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from types import FrameType

from proofmatch.errors import ProofmatchError
from proofmatch.storage import SourceChanged, disk_reason
from proofmatch.workers import WorkerPool, prepare_process

from ..article import ArticleReader, ReadArticle, discarded_document
from ..filters import load_detector
from ..latex.conversion import LatexConverter, Latexml
from ..pair_parts import PartBuilder, PartReport
from ..readers.documents import Document, FaultyDocument
from ..readers.eprints import is_source_name
from ..reasons import DocumentError, Reason
from ..settings import MEBIBYTE, BuildSettings
from .run_folder import RunFolder

# Small batches keep all workers busy until the end of a small corpus. Batches grow with the corpus, so that a
# large one has thousands of parts and not millions; the cap bounds the memory of batches in flight.
SMALLEST_BATCH = 4 * MEBIBYTE
LARGEST_BATCH = 8 * MEBIBYTE
SHARE_OF_READ = 1 / 32
MOST_DOCUMENTS = 2000
# A LaTeX source takes as long as an article of this many times its size, because it is converted first.
_CONVERSION_COST = 64

# A worker stuck where no Python signal handler runs is killed after this much real time.
_PATIENCE = 4.0  # times the limit for a document …
_GRACE = 2.0  # … and some seconds


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch: consecutive documents of the sources.

    Attributes:
        index: Its position in the stream.
        fingerprint: Changes when any of its documents does.
        documents: The documents.
    """

    index: int
    fingerprint: str
    documents: tuple[Document, ...]

    @property
    def part_name(self) -> str:
        """The file name of its part; a changed document changes the name, so stale parts are not reused."""
        return f"part-{self.index:06d}-{self.fingerprint}.arrow"


def cut_into_batches(documents: Iterable[Document]) -> Iterator[Batch]:
    """Cut a stream of documents; where the cuts are depends on the documents alone."""
    index = read_bytes = batch_bytes = 0
    collected: list[Document] = []
    for document in documents:
        collected.append(document)
        batch_bytes += document.size * (_CONVERSION_COST if is_source_name(document.name) else 1)
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


def local_pool(
    run: RunFolder, settings: BuildSettings, workers: int, latexml: Latexml | None = None
) -> WorkerPool:
    """Make the pool of a build; its processes read articles and write tables.

    Args:
        run: The run folder.
        settings: The settings of the build.
        workers: Number of processes.
        latexml: What converts LaTeX sources, if there are any.
    """
    return WorkerPool(workers, _start_worker, (settings, run.parts, run.scratch, latexml, os.getpid()))


def run_batches(
    batches: Iterable[Batch],
    run: RunFolder,
    settings: BuildSettings,
    pool: WorkerPool,
    latexml: Latexml | None = None,
) -> Iterator[PartReport]:
    """Process the unfinished batches, and report on each as it is done."""

    def rescue(batch: Batch) -> Batch:
        """Find the documents that kill a worker by trying each alone, and replace them."""
        with local_pool(run, settings, 1, latexml) as trial:
            documents = tuple(
                document
                if trial.survives(_try_document, document)
                else FaultyDocument(document.name, Reason.CRASHED, "it killed a worker repeatedly")
                for document in batch.documents
            )
        return replace(batch, documents=documents)

    yield from pool.run(_run_batch, run.unfinished(batches), rescue)


@dataclass(frozen=True, slots=True)
class _Worker:
    """The state of a worker process."""

    settings: BuildSettings
    parts: Path
    reader: ArticleReader
    converter: LatexConverter | None


_worker: _Worker | None = None


def _start_worker(
    settings: BuildSettings, parts: Path, scratch: Path, latexml: Latexml | None, driver: int
) -> None:
    global _worker
    prepare_process(driver)
    signal.signal(signal.SIGPROF, _raise_timeout)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    reader = ArticleReader(settings, load_detector(settings.detector))
    _worker = _Worker(settings, parts, reader, latexml and LatexConverter(latexml, settings, scratch))


def _started_worker() -> _Worker:
    if _worker is None:
        raise RuntimeError("_start_worker has not run in this process")
    return _worker


def _run_batch(batch: Batch) -> PartReport:
    """Read all documents of a batch and write its part."""
    worker = _started_worker()
    part = PartBuilder(worker.settings.seed, worker.settings.license)
    for document in batch.documents:
        part.add(document.name, _read_document(document, worker))
    part.write(worker.parts / batch.part_name)
    return part.report


def _try_document(document: Document) -> None:
    """Read one document to see whether the worker survives it."""
    _read_document(document, _started_worker())


def _read_document(document: Document, worker: _Worker) -> ReadArticle:
    """Read one document within its limits; no failure of it ends the batch, unless its file changed."""
    try:
        if document.size > worker.settings.max_document_bytes:
            raise DocumentError(Reason.TOO_LARGE, f"{document.size} bytes")
        if is_source_name(document.name):
            data = _convert(document, worker)  # has its own limits
            with _time_limit(worker.settings.document_seconds):
                return worker.reader.read(data, document.name)
        with _time_limit(worker.settings.document_seconds):
            return worker.reader.read(document.read(), document.name)
    except DocumentError as error:
        return discarded_document(document.name, error)
    except (SourceChanged, _DiskError):
        raise
    except Exception as error:
        # A bug of ours that this document triggers costs the document, not the run.
        detail = f"{type(error).__name__}: {error}"
        return discarded_document(document.name, DocumentError(Reason.CRASHED, detail))


def _convert(document: Document, worker: _Worker) -> bytes:
    data = document.read()
    if worker.converter is None:
        raise DocumentError(Reason.NOT_MARKUP, "a LaTeX source")
    try:
        return worker.converter.convert(data, document.name)
    except OSError as error:  # of the cache or the scratch folder, which must not cost a document
        raise _DiskError(f"{error.filename} cannot be written ({disk_reason(error)})") from None


class _DiskError(ProofmatchError):
    """Converted documents cannot be stored, which ends the build."""


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise in this process when it has used this much CPU time; the load of the machine does not count.

    A signal handler only runs between two Python instructions. For a library call that never returns there is
    an alarm without a handler: the kernel kills the process, and the driver finds out which document it was.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds + _GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise_timeout(_signal: int, _frame: FrameType | None) -> None:
    raise DocumentError(Reason.TIMEOUT, "took longer than the time limit for a document")
