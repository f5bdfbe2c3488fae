"""Settings → an archive or a folder of made-up articles, complete or not at all."""

import multiprocessing
import os
import shutil
import signal
import tempfile
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.workers import die_with_parent, number_of_workers

from .documents import synthetic_document
from .manifest import MANIFEST, Tally, add, as_json, manifest_of, tally
from .packing import end_of_archive, kind_of_output, pack_portion, write_files
from .settings import SyntheticSettings

_PORTION, _MOST_DOCUMENTS = 4_000, 64  # kilobytes and documents that are packed at once, about
_AHEAD = 2  # portions that wait to be written, for each process


def synthesize(settings: SyntheticSettings, out: str | Path, workers: int | None = None) -> dict[str, Any]:
    """Make up articles and pack them.

    Args:
        settings: What articles.
        out: A folder, or an archive: `.tar`, `.tar.gz`, `.tar.bz2` or `.tar.xz`. Nothing may be there yet.
        workers: Number of processes; one for each processor if None. The bytes do not depend on it.

    Returns:
        The manifest, which is also the last file of the archive or folder, `synthetic.json`.

    Raises:
        ProofmatchError: If it cannot be written.
    """
    out = Path(out)
    kind = kind_of_output(out)
    processes = number_of_workers(workers)
    if out.exists():
        raise ProofmatchError(f"{out} exists already; choose another name or remove it")
    try:
        with _temporary(out, is_folder=kind is None) as place:
            make = partial(_make_portion, settings, kind, place)
            counts = _write(settings, make, place, kind, processes)
            manifest = manifest_of(settings, counts)
            last = [(MANIFEST, as_json(manifest))]
            if kind is None:
                write_files(last, place)
            else:
                with place.open("ab") as file:
                    file.write(pack_portion(last, kind) + end_of_archive(kind))
            place.rename(out)
    except OSError as error:
        raise ProofmatchError(f"{out} cannot be written: {error.strerror or error}") from None
    except BrokenProcessPool:
        raise ProofmatchError("a worker process was killed; try again with fewer workers") from None
    return manifest


def write_manifest(manifest: dict[str, Any], path: Path) -> None:
    """Write a manifest as a file of its own.

    Raises:
        ProofmatchError: If that is impossible.
    """
    try:
        path.write_bytes(as_json(manifest))
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be written: {error.strerror or error}") from None


def _write(
    settings: SyntheticSettings,
    make: "partial[tuple[bytes, Tally]]",
    place: Path,
    kind: str | None,
    workers: int,
) -> Tally:
    """Write all portions in their order, and count what is in them."""
    step = max(1, min(_MOST_DOCUMENTS, round(_PORTION / settings.kilobytes)))
    portions = deque(
        range(first, min(first + step, settings.documents)) for first in range(0, settings.documents, step)
    )
    counts: Tally = tally(())
    with Progress("synthesize", "portions", len(portions)) as progress:
        file = None if kind is None else place.open("wb")
        try:
            for data, more in _results(make, portions, min(workers, len(portions))):
                add(counts, more)
                if file:
                    file.write(data)
                made = counts["documents"]
                progress.summary = f"{made['all']:,} documents, {made['bytes'] / 1e6:,.0f} MB"
                progress.advance()
        finally:
            if file:
                file.close()
    return counts


def _results(
    make: "partial[tuple[bytes, Tally]]", portions: deque[range], workers: int
) -> Iterator[tuple[bytes, Tally]]:
    """Make portions in several processes; never more than a few are ready and wait."""
    if workers == 1:
        yield from map(make, portions)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _prepare, (os.getpid(),)) as pool:
        running: deque[Future[tuple[bytes, Tally]]] = deque()
        try:
            while portions or running:
                while portions and len(running) < workers * _AHEAD:
                    running.append(pool.submit(make, portions.popleft()))
                yield running.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _prepare(driver: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides
    die_with_parent(driver)


def _make_portion(
    settings: SyntheticSettings, kind: str | None, place: Path, numbers: range
) -> tuple[bytes, Tally]:
    documents = [synthetic_document(settings, number) for number in numbers]
    files = ((document.name, document.data) for document in documents)
    if kind is None:
        write_files(files, place)
        return b"", tally(documents)
    return pack_portion(files, kind), tally(documents)


@contextmanager
def _temporary(out: Path, *, is_folder: bool) -> Iterator[Path]:
    """Make a hidden name beside the result's, and leave nothing behind if something goes wrong."""
    if not out.parent.is_dir():
        raise ProofmatchError(f"{out.parent} is not a folder; make it first")
    home = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        place = home / out.name
        if is_folder:
            place.mkdir()
        yield place
    finally:
        shutil.rmtree(home, ignore_errors=True)
