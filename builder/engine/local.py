"""The local engine: batches → parts, over worker processes on this machine."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..readers.documents import Document, FaultyDocument
from ..reasons import Reason
from ..settings import BuildSettings
from .batches import Batch
from .parts import PartReport
from .pool import WorkerPool
from .run_folder import RunFolder
from .worker import run_batch, start_worker, try_document


def run_locally(
    batches: Iterable[Batch], run: RunFolder, settings: BuildSettings, workers: int
) -> Iterator[PartReport]:
    """Process batches and report on each as it is done; finished ones are not done again."""
    start_arguments = (settings, os.getpid(), run.parts)

    def rescue(batch: Batch) -> Batch:
        """Find the documents that kill a worker, by trying each alone, and leave them out."""
        with WorkerPool[Document, None](1, try_document, start_worker, start_arguments) as trial:
            documents = tuple(
                document
                if trial.survives(document)
                else FaultyDocument(document.name, Reason.CRASHED, "a worker died of it, repeatedly")
                for document in batch.documents
            )
        return replace(batch, documents=documents)

    def unfinished() -> Iterator[Batch]:
        for batch in batches:
            run.expect(batch)
            if not run.is_done(batch):
                yield batch

    with WorkerPool[Batch, PartReport](workers, run_batch, start_worker, start_arguments) as pool:
        for _, report in pool.run(unfinished(), rescue):
            yield report
