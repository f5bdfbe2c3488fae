"""Result files → the site."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .boards import Board, make_boards
from .checking import Checker, faults_of_all, open_releases, refuse
from .columns import COPIES
from .document import DOCUMENT, make_document
from .index_page import render_index
from .reading import Found, find_results
from .readme import render_readme
from .reference import read_reference, with_reference
from .site import check_place, write_site
from .submit_page import render_submit


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """A site that was written.

    Attributes:
        folder: Where it is.
        boards: What it shows.
        n_results: How many result files it is made of.
        n_checked: How many of them were computed anew.
        n_others: How many JSON files beside them are no results.
        files: The names of its files.
    """

    folder: Path
    boards: tuple[Board, ...]
    n_results: int
    n_checked: int
    n_others: int
    files: tuple[str, ...]


def make_leaderboard(
    results: str | Path,
    out: str | Path,
    data: str | Path | Sequence[str | Path] = (),
    *,
    repository: str | None = None,
    strict: bool = False,
) -> Leaderboard:
    """Make a site of all result files of a folder.

    With `data`, results that have their predictions beside them are computed anew, and the site says of which
    this is true.

    Args:
        results: The folder; its subfolders are searched as well.
        out: The folder of the site.
        data: The release, or releases, that results are of: folders, or `OWNER/NAME[@REVISION]` on the Hub.
        repository: Where pull requests go, for the page on how to submit.
        strict: Whether every result must have its predictions.

    Raises:
        CheckFailed: If a result is not what its predictions amount to.
        ProofmatchError: If a result file cannot be read, or the site not be written.
    """
    results, out = Path(results), Path(out)
    check_place(out, results)
    releases = open_releases(data)
    found = find_results(results)
    found.refuse_if_faulty()
    checked = _check(found, Checker(releases), strict)
    boards = tuple(with_reference(make_boards(found.submissions, checked), read_reference()))
    files: dict[str, str | bytes] = {
        f"{COPIES}/{submission.name}": submission.path.read_bytes() for submission in found.submissions
    }
    files["index.html"] = render_index(boards)
    files["submit.html"] = render_submit(boards, repository)
    files["README.md"] = render_readme(boards)
    files[DOCUMENT] = make_document(boards, files)
    write_site(out, files)
    return Leaderboard(
        out, boards, len(found.submissions), len(checked), found.n_others, tuple(sorted(files))
    )


def _check(found: Found, checker: Checker, strict: bool) -> frozenset[str]:
    """Compute anew what can be, and name it."""
    if not checker.releases:
        return frozenset()
    known = {release.manifest_sha256 for release in checker.releases}
    submissions = [
        one
        for one in found.submissions
        if strict or (one.predictions and one.content["dataset"]["manifest_sha256"] in known)
    ]
    refuse(found, faults_of_all(submissions, checker))
    return frozenset(one.name for one in submissions)
