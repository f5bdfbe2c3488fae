"""What a worker process does: read the documents of a batch, write its part."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from proofmatch.storage import SourceChanged
from proofmatch.workers import prepare_process

from ..article import ArticleReader, ReadArticle, discarded_document
from ..filters import load_detector
from ..pair_parts import PartBuilder, PartReport
from ..readers.documents import Document
from ..reasons import DocumentError, Reason
from ..settings import BuildSettings
from .batches import Batch

# After how much real time a worker ends that is stuck where no Python signal handler runs.
_PATIENCE = 4.0  # times the limit for a document …
_GRACE = 2.0  # … and some seconds


@dataclass
class _Worker:
    settings: BuildSettings
    parts: Path
    reader: ArticleReader


_worker: _Worker | None = None


def start_worker(settings: BuildSettings, parts: Path, driver: int) -> None:
    """Prepare a worker process for both stages of a build; runs once in each."""
    global _worker
    prepare_process(driver)
    signal.signal(signal.SIGPROF, _out_of_time)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    _worker = _Worker(settings, parts, ArticleReader(settings, load_detector(settings.detector)))


def run_batch(batch: Batch) -> PartReport:
    """Read all documents of a batch and write its part; runs in a worker."""
    worker = _started_worker()
    part = PartBuilder(worker.settings.seed)
    for document in batch.documents:
        part.add(document.name, _read_document(document, worker))
    part.write(worker.parts / batch.part_name)
    return part.report


def try_document(document: Document) -> None:
    """Read one document for nothing, to see whether the worker survives it."""
    _read_document(document, _started_worker())


def _started_worker() -> _Worker:
    if _worker is None:
        raise RuntimeError("start_worker has not run in this process")
    return _worker


def _read_document(document: Document, worker: _Worker) -> ReadArticle:
    """Read one document within its limits; whatever it does, the batch goes on, unless it changes."""
    try:
        if document.size > worker.settings.max_document_bytes:
            raise DocumentError(Reason.TOO_LARGE, f"{document.size} bytes")
        with _time_limit(worker.settings.document_seconds):
            return worker.reader.read(document.read(), document.name)
    except DocumentError as error:
        return discarded_document(document.name, error)
    except SourceChanged:
        raise
    except Exception as error:
        # A fault of ours that this document brings to light: it costs the document, not the run.
        detail = f"{type(error).__name__}: {error}"
        return discarded_document(document.name, DocumentError(Reason.CRASHED, detail))


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise in this process when it has used that much processor time, so that load does not matter.

    A signal handler only runs between two steps of Python. For a library call that never returns there is
    an alarm without handler: the kernel ends the process, and the driver finds out which document it was.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE * seconds + _GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _out_of_time(_signal: int, _frame: FrameType | None) -> None:
    raise DocumentError(Reason.TIMEOUT, "took longer than the time limit for a document")
