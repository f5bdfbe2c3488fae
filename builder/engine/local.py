"""The local engine: batches → parts, over worker processes on this machine."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from proofmatch.workers import WorkerPool

from ..pair_parts import PartReport
from ..readers.documents import FaultyDocument
from ..reasons import Reason
from ..settings import BuildSettings
from .batches import Batch
from .run_folder import RunFolder
from .worker import run_batch, start_worker, try_document


def local_pool(run: RunFolder, settings: BuildSettings, workers: int) -> WorkerPool:
    """Make the pool of a build; its processes start with the first work."""
    return WorkerPool(workers, start_worker, (settings, run.parts, os.getpid()))


def run_batches(
    batches: Iterable[Batch], run: RunFolder, settings: BuildSettings, pool: WorkerPool
) -> Iterator[PartReport]:
    """Process batches and report on each as it is done; finished ones are not done again."""

    def rescue(batch: Batch) -> Batch:
        """Find the documents that kill a worker, by trying each alone, and leave them out."""
        with local_pool(run, settings, workers=1) as trial:
            documents = tuple(
                document
                if trial.survives(try_document, document)
                else FaultyDocument(document.name, Reason.CRASHED, "a worker died of it, repeatedly")
                for document in batch.documents
            )
        return replace(batch, documents=documents)

    def unfinished() -> Iterator[Batch]:
        for batch in batches:
            run.expect(batch)
            if not run.is_done(batch):
                yield batch

    yield from pool.run(run_batch, unfinished(), rescue)
