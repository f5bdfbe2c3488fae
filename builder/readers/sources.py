"""A SOURCE of the command line → its documents, always in the same order."""

import glob
import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from proofmatch.errors import ProofmatchError
from proofmatch.storage import unchanged

from ..reasons import Reason
from .archives import holds_latex, is_archive_name, read_archive
from .documents import Document, FaultyDocument, clean_name, file_document, is_article_name
from .eprints import is_eprint_name, is_tex_name
from .tex_folders import TexDocument, TexFolders
from .urls import fixed_part, read_url, stamps_of_url, url_holds_latex

# How much is examined before a build to find out whether there are LaTeX sources.
_ARCHIVES, _MEMBERS = 20, 20


def read_sources(sources: Iterable[str], max_bytes: int, latex: bool = False) -> Iterator[Document]:
    """Find the documents of folders, glob patterns, archives, single articles and fsspec URLs.

    Args:
        sources: The sources.
        max_bytes: Larger members of archives are not loaded.
        latex: Whether LaTeX sources in archives are articles too (see `have_latex`), as they are elsewhere.
    """
    for source in sources:
        check_sources([source])
        reader = read_url if "://" in source else _read_local
        yield from reader(source, max_bytes, latex)


def have_latex(sources: Iterable[str]) -> bool:
    """Tell whether there are LaTeX sources, from the names of files and the first members of archives."""
    return any(
        url_holds_latex(source, _MEMBERS) if "://" in source else _holds_latex(source) for source in sources
    )


def _holds_latex(source: str) -> bool:
    archives = 0
    for path in _paths(source):
        if is_eprint_name(path.name):
            return True
        if is_archive_name(path.name) and archives < _ARCHIVES:
            archives += 1
            try:
                with path.open("rb") as file:
                    if holds_latex(file, path.name, _MEMBERS):
                        return True
            except OSError:  # to be reported when it is read
                continue
    return False


def _paths(source: str) -> Iterator[Path]:
    """Find the files of a source that are articles or archives by their names."""
    path = Path(source)
    if path.is_file():
        yield path
        return
    for match in [path] if path.is_dir() else map(Path, glob.glob(source, recursive=True)):  # noqa: PTH207
        if match.is_dir() and (match == path or "**" not in source):
            for place, subfolders, files in os.walk(match):
                subfolders[:] = [name for name in subfolders if not name.startswith(".")]
                yield from (Path(place, file) for file in files if _is_wanted(file))
        elif _is_wanted(match.name) and match.is_file():
            yield match


def check_sources(sources: Iterable[str]) -> None:
    """Make sure before a long run that every local source exists."""
    for source in sources:
        if "://" in source or (source and os.path.exists(source)):  # noqa: PTH110 - never raises
            continue
        if not source or not glob.has_magic(source):
            raise ProofmatchError(
                f"source {source!r} does not exist; give a folder, a glob, an archive or a URL"
            )
        if next(glob.iglob(source, recursive=True), None) is None:  # noqa: PTH207 - absolute ones too
            raise ProofmatchError(f"no file matches {source!r}; quote the pattern and check the folder")


def state_of(sources: Iterable[str]) -> str:
    """Hash the names, sizes and modification times of the files of the sources, without reading them.

    A different hash means that results made from the sources are out of date.
    """
    state = blake2b(digest_size=16)
    for source in sources:
        for stamp in stamps_of_url(source) if "://" in source else map(_stamp_of, _find(source)):
            state.update(stamp.encode() + b"\n")
    return state.hexdigest()


class _Found(NamedTuple):
    """A file of a source, and the folder its name is relative to."""

    path: Path
    root: Path


_Known = FaultyDocument | TexDocument


def _read_local(source: str, max_bytes: int, latex: bool) -> Iterator[Document]:
    for found in _find(source):
        yield from _read_file(*found, max_bytes, latex) if isinstance(found, _Found) else [found]


def _find(source: str) -> Iterator[_Found | _Known]:
    path = Path(source)
    if path.is_dir():
        yield from _search_folder(path, path, TexFolders(path))
    elif path.is_file():
        yield from _articles([path], path.parent, TexFolders(path.parent))
    else:
        root = fixed_part(source)
        folders = TexFolders(root)
        matches = list(map(Path, sorted(glob.glob(source, recursive=True))))  # noqa: PTH207 - absolute ones too
        folders.note(match for match in matches if is_tex_name(match.name) and match.is_file())
        for match in matches:
            if match.is_dir() and "**" not in source:
                yield from _search_folder(match, root, folders)
            elif match.is_file() and _is_wanted(match.name):
                yield from _articles([match], root, folders)


def _search_folder(folder: Path, root: Path, folders: TexFolders) -> Iterator[_Found | _Known]:
    """Find the articles and archives in a folder and its subfolders."""
    unreadable: list[OSError] = []
    for place, subfolders, files in os.walk(folder, onerror=unreadable.append):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        wanted = [Path(place, file) for file in sorted(files) if _is_wanted(file)]
        # A pipe or device with an article's name would block the reader.
        yield from _articles([path for path in wanted if path.is_file()], root, folders)
    for error in unreadable:
        yield FaultyDocument(clean_name(str(error.filename)), Reason.UNREADABLE, error.strerror or str(error))


def _articles(paths: list[Path], root: Path, folders: TexFolders) -> Iterator[_Found | _Known]:
    """Group the TeX files among some files into articles."""
    folders.note(path for path in paths if is_tex_name(path.name))
    for path in paths:
        if not is_tex_name(path.name):
            yield _Found(path, root)
        elif document := folders.document(path, clean_name(path.relative_to(root).as_posix())):
            yield document


def _is_wanted(name: str) -> bool:
    return (
        is_article_name(name) or (is_archive_name(name) and not name.startswith(".")) or is_eprint_name(name)
    )


def _read_file(path: Path, root: Path, max_bytes: int, latex: bool) -> Iterator[Document]:
    if is_article_name(path.name) or is_eprint_name(path.name):
        yield file_document(path, path.relative_to(root).as_posix())
    elif is_archive_name(path.name):
        try:
            with unchanged([path]), path.open("rb") as file:
                yield from read_archive(file, path.name, max_bytes, str(path), latex)
        except PermissionError:
            raise ProofmatchError(f"{path} cannot be read; check its permissions") from None
    else:
        raise ProofmatchError(
            f"{path} is neither a folder nor an article (.xhtml, .html, .tex, an arXiv e-print .gz) "
            "nor an archive (.tar[.gz|.bz2|.xz], .zip)"
        )


def _stamp_of(found: _Found | _Known) -> str:
    document = file_document(found.path, str(found.path)) if isinstance(found, _Found) else found
    return document.stamp
