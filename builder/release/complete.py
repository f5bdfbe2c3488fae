"""Tables in a staging folder → the complete release in its place."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError
from proofmatch.storage import disk_reason

from ...dataset_card.card import render_card
from ..engine.run_folder import RunFolder, refuse_other_settings
from .manifest import write_manifest
from .release import read_manifest
from .schema import MANIFEST
from .tables import WrittenFile

RESUMES = "the same command goes on where it stopped"


def make_unless_complete(
    release: Path, parameters: dict[str, Any], make: Callable[[RunFolder], None], remedy: str = RESUMES
) -> None:
    """Have a release made, unless it is there; of several processes that want to, one does.

    Args:
        release: Its place.
        parameters: What decides its content.
        make: Makes it, and removes the run folder when all is done.
        remedy: What to do after something went wrong with files, once that is mended.

    Raises:
        ProofmatchError: If the folder holds something else, or another process is at work in it.
    """
    run = RunFolder(release)
    with _explaining_disk_errors(release, remedy):
        # Looked at before the manifest: it is there before a run folder goes.
        has_other_things = not run.path.exists() and release.is_dir() and any(release.iterdir())
        if _is_complete(release, parameters):
            if run.path.exists():  # killed when nothing was left to do but this
                run.remove_leftovers()
            return
        if has_other_things:
            raise ProofmatchError(f"{release} is not empty and not a release; choose another --out")
        with run.opened(parameters):
            if _is_complete(release, parameters):  # somebody was quicker
                run.remove()
            else:
                make(run)


def _is_complete(release: Path, parameters: dict[str, Any]) -> bool:
    """Tell whether a folder already holds the release that these parameters make."""
    if release.is_file():
        raise ProofmatchError(f"{release} is a file; choose another --out")
    manifest = read_manifest(release)
    if manifest:
        refuse_other_settings(manifest["parameters"], parameters, release)
    return bool(manifest)


@contextmanager
def _explaining_disk_errors(release: Path, remedy: str) -> Iterator[None]:
    """Put into one sentence what goes wrong with files while a release is made.

    Args:
        release: Its place.
        remedy: What to do once it is mended.
    """
    try:
        yield
    except OSError as error:
        raise ProofmatchError(
            f"{error.filename or release}: {disk_reason(error)}; once that is mended, {remedy}"
        ) from error


def complete_release(
    staging: Path,
    release: Path,
    statistics: dict[str, Any],
    files: Iterable[WrittenFile],
    parameters: dict[str, Any],
) -> None:
    """Add statistics, card and manifest to the tables, and move everything to its place.

    Args:
        staging: Folder with the tables, and whatever else belongs to the release.
        release: The place.
        statistics: What goes into `stats.json`.
        files: The tables.
        parameters: What decided the content.
    """
    files = list(files)
    (staging / "stats.json").write_text(json.dumps(statistics, indent=2) + "\n", encoding="utf-8")
    for name, text in render_card(statistics, files, parameters).items():
        (staging / name).parent.mkdir(exist_ok=True)
        (staging / name).write_text(text, encoding="utf-8")
    write_manifest(staging, parameters, {file.path.as_posix(): file.sha256 for file in files})
    _publish(staging, release)


def _publish(staging: Path, release: Path) -> None:
    """Move everything to its place, the manifest last: without one, a release is not complete."""
    for path in sorted(staging.iterdir(), key=lambda path: path.name == MANIFEST):
        target = release / path.name
        if target.is_dir():
            shutil.rmtree(target)
        path.replace(target)
