"""Result files → the site: a folder that is written file by file, and its upload as a static Space."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.hub import Destination, LocalFile, PushReport, local_file, push
from proofmatch.storage import atomic_file
from proofmatch.strict_json import read_json

from .boards import Board, make_boards
from .checking import check_folder, open_checker, refuse, shortened
from .published import add_published, read_published
from .results import Entry
from .views import COPIES, DOCUMENT, GENERATOR, make_document, render_index, render_readme, render_submit

_MOST_BYTES_OF_DOCUMENT = 100_000_000  # our own; some kilobytes per result


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A site that was written.

    Attributes:
        folder: The folder of the site.
        boards: The boards that it shows.
        n_results: The number of result files that it shows.
        n_checked: How many of them were recomputed.
        n_refused: The number of result files that it leaves out.
        faults: The faults of these files, a line each.
        n_others: The number of JSON files beside them that are not results.
        files: The names of its files.
    """

    folder: Path
    boards: tuple[Board, ...]
    n_results: int
    n_checked: int
    n_refused: int
    faults: tuple[str, ...]
    n_others: int
    files: tuple[str, ...]

    @property
    def remarks(self) -> list[str]:
        """Caveats about its rows, a line each."""
        return [
            f"“{row.system}” {remark}"
            for board in self.boards
            for row in board.rows
            for remark in row.remarks
        ]


def make_leaderboard(
    results: str | Path,
    out: str | Path,
    data: str | Path | Sequence[str | Path] = (),
    *,
    gold: str | Path | Sequence[str | Path] = (),
    repository: str | None = None,
    strict: bool = False,
) -> Leaderboard:
    """Make a site from all result files of a folder.

    Results that have their predictions beside them are recomputed with the releases of `data`. They have
    ranks; all others are listed separately. A result with a fault is left out.

    Args:
        results: The folder; its subfolders are searched as well.
        out: The folder of the site.
        data: The release, or releases, of the results: folders, or `OWNER/NAME[@REVISION]` on the Hub.
        gold: The answers of the sealed ones among them, in the same order.
        repository: The URL for pull requests, for the page on how to submit.
        strict: Whether every result must have its predictions, and no fault.

    Raises:
        CheckFailed: If a result has a fault, and `strict` was asked for.
        ProofmatchError: If no result can be used, or the site cannot be written.
    """
    results, out = Path(results), Path(out)
    _check_place(out, results)
    checker = open_checker(data, gold, strict=strict)
    checked = check_folder(results, checker)
    if strict:
        refuse(checked)
    if not checked.entries:
        raise ProofmatchError(
            "\n  ".join([f"{results} has no result that can be used:", *shortened(checked.faults)])
        )
    boards = tuple(add_published(make_boards(checked.entries, checker.releases), read_published()))
    files: dict[str, str | bytes] = {f"{COPIES}/{one.name}": _copy(one) for one in checked.entries}
    files["index.html"] = render_index(boards)
    files["submit.html"] = render_submit(boards, checker.releases, repository)
    files["README.md"] = render_readme(boards)
    files[DOCUMENT] = make_document(boards, files)
    write_site(out, files)
    return Leaderboard(
        folder=out,
        boards=boards,
        n_results=len(checked.entries),
        n_checked=sum(one.is_checked for one in checked.entries),
        n_refused=checked.n_refused,
        faults=tuple(checked.faults),
        n_others=checked.n_others,
        files=tuple(sorted(files)),
    )


def _copy(entry: Entry) -> str:
    """Format a result as the site shows it."""
    return json.dumps(entry.content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_site(out: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files of a site, each atomically, and remove the files of an earlier site.

    The list of files is written first, so that after an interrupted run the next one knows every file.

    Raises:
        ProofmatchError: If a file cannot be written.
    """
    for name in sorted(_written_before(out) - files.keys()):
        _remove(out, name)
    for name in sorted(files, key=lambda name: (name != DOCUMENT, name)):
        content = files[name]
        data = content if isinstance(content, bytes) else content.encode()
        path = out / name
        if path.is_file() and path.read_bytes() == data:
            continue
        with atomic_file(path) as temporary:
            temporary.write_bytes(data)


def push_site(site: Path, repo_id: str, *, private: bool = False, dry_run: bool = False) -> PushReport:
    """Upload a site to a static Space, in one commit that has what changed.

    Args:
        site: The folder that `make_leaderboard` wrote.
        repo_id: `OWNER/NAME` of the Space, which is created if it does not exist.
        private: Create a private Space, and refuse a public one.
        dry_run: Only find out what would be done.

    Raises:
        ProofmatchError: If there is no site, the Hub cannot be reached, or it refuses the upload.
        CheckFailed: If the files on the Hub then differ from the site.
    """
    destination = Destination(
        repo_id=repo_id,
        repo_type="space",
        content="site",
        listing=DOCUMENT,
        message="Update the leaderboard",
        private=private,
        dry_run=dry_run,
        space_sdk="static",
    )
    return push(_files_of(site), destination)


def _files_of(site: Path) -> list[LocalFile]:
    names = sorted(_written_before(site))
    files = [local_file(site, name) for name in names]
    if not names or None in files:
        raise ProofmatchError(f"{site} is not a complete site; make it with `proofmatch leaderboard` first")
    return [file for file in files if file is not None]


def _check_place(out: Path, results: Path) -> None:
    """Refuse a folder with other files, or one where the site would be found among the results."""
    if out.resolve() == results.resolve() or results.resolve() in out.resolve().parents:
        raise ProofmatchError(
            f"{out} is in {results}, where the site would be taken for results; give --out a folder elsewhere"
        )
    if out.exists() and not out.is_dir():
        raise ProofmatchError(f"{out} is not a folder; give --out another name")
    others = sorted(_visible_files(out) - _written_before(out)) if out.exists() else []
    if others:
        more = f" and {len(others) - 1:,} more" if len(others) > 1 else ""
        raise ProofmatchError(
            f"{out} has {others[0]}{more}, which no leaderboard wrote; "
            "give --out another folder or empty this one"
        )


def _written_before(out: Path) -> frozenset[str]:
    """Name the files of the site that is already in a folder."""
    try:
        content = read_json(out / DOCUMENT, _MOST_BYTES_OF_DOCUMENT)
        if content["generator"] == GENERATOR:
            return frozenset(map(str, content["files"]))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return frozenset()


def _remove(out: Path, name: str) -> None:
    path = out / name
    if out.resolve() not in path.resolve().parents or not path.is_file():
        return
    path.unlink()
    for folder in path.relative_to(out).parents:
        if folder != Path() and not any((out / folder).iterdir()):
            (out / folder).rmdir()


def _visible_files(out: Path) -> set[str]:
    """Name the files of a folder except hidden ones, which a clone of a Space has."""
    names = (path.relative_to(out) for path in out.rglob("*") if not path.is_dir())
    return {name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts)}
