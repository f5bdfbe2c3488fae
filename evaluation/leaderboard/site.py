"""A folder that holds the site: written file by file, never over what is not ours."""

from collections.abc import Mapping
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.storage import atomic_file

from ..result import read_json
from .document import DOCUMENT, GENERATOR


def check_place(out: Path, results: Path) -> None:
    """Refuse a place for the site that has other things, or where it would become part of the results.

    Raises:
        ProofmatchError: With the remedy.
    """
    if out.resolve() == results.resolve() or results.resolve() in out.resolve().parents:
        raise ProofmatchError(
            f"{out} is in {results}, where the site would be taken for results; give --out a folder elsewhere"
        )
    ours = written_before(out)
    if out.exists() and not out.is_dir():
        raise ProofmatchError(f"{out} is not a folder; give --out another name")
    others = sorted(_visible_files(out) - ours) if out.exists() else []
    if others:
        raise ProofmatchError(
            f"{out} has {others[0]}{_and_more(len(others) - 1)}, which no leaderboard wrote; "
            "give --out another folder or empty this one"
        )


def written_before(out: Path) -> frozenset[str]:
    """Name the files of the site that is in a folder already."""
    try:
        content = read_json(out / DOCUMENT)
        if content["generator"] == GENERATOR:
            return frozenset(map(str, content["files"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    return frozenset()


def write_site(out: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files of a site, each whole or not at all, and remove those of an earlier one.

    The list of files goes first, so that a run that ends too early leaves nothing that the next one does not
    know.

    Raises:
        ProofmatchError: If something cannot be written.
    """
    for name in sorted(written_before(out) - files.keys()):
        _remove(out, name)
    for name in sorted(files, key=lambda name: (name != DOCUMENT, name)):
        content = files[name]
        data = content if isinstance(content, bytes) else content.encode()
        path = out / name
        if path.is_file() and path.read_bytes() == data:
            continue
        with atomic_file(path) as unfinished:
            unfinished.write_bytes(data)


def _remove(out: Path, name: str) -> None:
    path = out / name
    if out.resolve() not in path.resolve().parents or not path.is_file():
        return
    path.unlink()
    for folder in path.relative_to(out).parents:
        if folder != Path() and not any((out / folder).iterdir()):
            (out / folder).rmdir()


def _visible_files(out: Path) -> set[str]:
    """Name the files of a folder but for hidden ones: a clone of a Space has such."""
    names = (path.relative_to(out) for path in out.rglob("*") if not path.is_dir())
    return {name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts)}


def _and_more(number: int) -> str:
    return f" and {number:,} more" if number else ""
