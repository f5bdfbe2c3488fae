"""Why a rank failed, in a sentence that the driver finds in the run folder."""

import contextlib

from proofmatch.storage import write_atomically

from ..run_folder import RunFolder

_FOLDER = "failures"


def clear_failures(run: RunFolder) -> None:
    """Forget the failures of earlier attempts."""
    folder = run.path / _FOLDER
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink(missing_ok=True)


def note_failure(run: RunFolder, who: str, sentence: str) -> None:
    """Leave word for the driver, if the folder can still be written."""
    with contextlib.suppress(OSError):
        write_atomically(run.path / _FOLDER / f"{who}.txt", sentence + "\n")


def failure_of(run: RunFolder, who: str) -> str | None:
    """Read what one of them has said."""
    try:
        return (run.path / _FOLDER / f"{who}.txt").read_text(encoding="utf-8").strip()
    except OSError:
        return None


def failures(run: RunFolder) -> list[str]:
    """Collect what ranks have said, each sentence once."""
    try:
        files = sorted((run.path / _FOLDER).glob("*.txt"))
        return list(dict.fromkeys(file.read_text(encoding="utf-8").strip() for file in files))
    except OSError:
        return []
