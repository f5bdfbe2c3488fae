"""Sources behind URLs, read through fsspec, and URLs without their secrets."""

import glob
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from proofmatch.errors import ProofmatchError
from proofmatch.storage import SourceChanged

from ..reasons import DocumentError, Reason
from .archives import holds_latex, is_archive_name, read_archive
from .documents import Document, LoadedDocument, clean_name, is_article_name
from .eprints import is_eprint_name

# Workers cannot open these: memory belongs to this process, and for a file inside a remote archive
# (`zip://…::https://…`) the file system forgets where the archive is.
_READ_HERE = ("memory", "zip", "tar")

_WEB = ("http", "https")  # elsewhere, a question mark may belong to a pattern


@dataclass(frozen=True, slots=True)
class RemoteDocument:
    """A file behind a URL, fetched by the worker that gets it."""

    name: str
    size: int  # 0 if the file system does not know
    url: str
    max_bytes: int

    @property
    def stamp(self) -> str:
        """URL and size; remote file systems have no common notion of a modification time."""
        return f"{self.url}:{self.size}"

    def read(self) -> bytes:
        """Fetch the file."""
        import fsspec

        try:
            with fsspec.open(self.url, "rb") as file:
                data = file.read(self.max_bytes + 1)  # pyright: ignore[reportAttributeAccessIssue]
        except Exception as error:  # every file system has exceptions of its own
            raise DocumentError(Reason.UNREADABLE, public_words(str(error), self.url)) from None
        if len(data) > self.max_bytes:
            raise DocumentError(Reason.TOO_LARGE, f"more than {self.max_bytes} bytes")
        return data


def read_url(url: str, max_bytes: int, latex: bool = False) -> Iterator[Document]:
    """Find the documents of an archive, a folder, a pattern or a single article behind a URL.

    Without `latex`, LaTeX sources in an archive are passed over. Here, each TeX file is an article.
    """
    import fsspec  # here, because a build from local files does not need it

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if _is_archive(path):
            before = _state(filesystem, path)
            with filesystem.open(path, "rb") as file:
                yield from read_archive(file, public_url(path), max_bytes, latex=latex)
            if _state(filesystem, path) != before:
                raise SourceChanged(public_url(url))
        else:
            yield from _read_files(filesystem, path, max_bytes)
    except SourceChanged:
        raise
    except Exception as error:  # every file system has exceptions of its own
        raise _unreadable(url, error) from None


def stamps_of_url(url: str) -> Iterator[str]:
    """Describe the files behind a URL, as far as its file system can."""
    import fsspec

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if _is_archive(path):
            yield f"{url}:{_state(filesystem, path)}"
        else:
            yield from (document.stamp for document in _read_files(filesystem, path, 0))
    except Exception as error:  # every file system has exceptions of its own
        raise _unreadable(url, error) from None


def url_holds_latex(url: str, members: int) -> bool:
    """Tell whether there are LaTeX sources behind a URL, from names and the first members of an archive."""
    import fsspec

    try:
        filesystem, path = fsspec.url_to_fs(url)
        if not _is_archive(path):
            return any(is_eprint_name(document.name) for document in _read_files(filesystem, path, 0))
        with filesystem.open(path, "rb") as file:
            return holds_latex(file, public_url(path), members)
    except Exception as error:  # every file system has exceptions of its own
        raise _unreadable(url, error) from None


def _is_archive(path: str) -> bool:
    name = public_url(path)
    return is_archive_name(name) and not is_eprint_name(name)


def _state(filesystem: Any, path: str) -> str:  # noqa: ANN401 - untyped
    """Describe the current state of a file by what its file system knows: size, time, checksum."""
    filesystem.invalidate_cache()
    return repr(sorted(filesystem.info(path).items()))


def _unreadable(url: str, error: Exception) -> ProofmatchError:
    reason = public_words(str(error), url) or type(error).__name__
    return ProofmatchError(
        f"source {public_url(url)!r} cannot be read: {reason}; check the address and try again"
    )


def _read_files(filesystem: Any, path: str, max_bytes: int) -> Iterator[Document]:  # noqa: ANN401 - untyped
    if glob.has_magic(path):
        found, root = filesystem.glob(path, detail=True), str(fixed_part(path))
    else:
        found = filesystem.find(path, detail=True)
        root = public_url(path).rpartition("/")[0] if path in found else public_url(path)
    for file in sorted(found):
        is_wanted = is_article_name(public_url(file)) or is_eprint_name(public_url(file))
        if not is_wanted or found[file].get("type", "file") != "file":
            continue
        name = clean_name(public_url(file).removeprefix(root).lstrip("/"))
        if filesystem.protocol in _READ_HERE:
            yield LoadedDocument(name, filesystem.cat_file(file))
        else:
            size = found[file].get("size") or 0
            yield RemoteDocument(name, size, filesystem.unstrip_protocol(file), max_bytes)


def fixed_part(pattern: str) -> Path:
    """Take the folders of a glob pattern before the first one that is itself a pattern.

    >>> fixed_part("dump/*/index.html")
    PosixPath('dump')
    """
    return Path(*itertools.takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))


def public_url(url: str) -> str:
    """Remove user names, passwords and the signatures of queries from a URL.

    >>> public_url("https://ada:secret@example.org/articles.tar?signature=abc")
    'https://example.org/articles.tar'
    >>> public_url("zip://*.xhtml::s3://key:secret@bucket/a.zip")
    'zip://*.xhtml::s3://bucket/a.zip'
    """
    return "::".join(_public_part(part) for part in url.split("::"))


def public_words(words: str, url: str) -> str:
    """Remove the same from a message of a library about the URL."""
    words = words.replace(url, public_url(url))
    for part in url.split("::"):
        split = urlsplit(part)
        secrets = [split.netloc.rpartition("@")[0], split.password]
        if split.scheme in _WEB:
            secrets += [split.query, split.fragment]
        for secret in filter(None, secrets):
            words = words.replace(secret, "…")
    return words


def _public_part(part: str) -> str:
    split = urlsplit(part)
    if not split.scheme or not split.netloc:
        return part
    host = split.netloc.rpartition("@")[2]
    if split.scheme in _WEB:
        return urlunsplit((split.scheme, host, split.path, "", ""))
    return part.replace(split.netloc, host, 1)
