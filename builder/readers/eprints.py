"""LaTeX sources: which files belong to an article, and which of them is the main one.

A source travels as bytes: a TeX file, or a tar of several files, compressed with gzip or not, as arXiv stores
them. `unpack_source` takes all of these; `pack_files` makes such bytes of the files of a folder or archive.
"""

import gzip
import io
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath

from ..extraction.metadata import is_arxiv_id
from ..reasons import DocumentError, Reason

TEX_SUFFIXES = (".tex", ".ltx", ".latex")
# What a TeX file may read. Pictures are not converted; bindings (.ltxml) are programs, and never unpacked.
_PART_SUFFIXES = (
    *TEX_SUFFIXES,
    ".sty",
    ".cls",
    ".clo",
    ".def",
    ".fd",
    ".ldf",
    ".bbl",
    ".bib",
    ".ind",
    ".gls",
)
_PART_SUFFIXES += (".tikz", ".pgf")
# Only in archives: in a folder, files of other kinds may be unrelated files of the owner.
_MORE_SUFFIXES = ("", ".txt", ".cfg", ".inc", ".body", ".ams", ".macros")
_NOTES = ("00README.json", "00README.XXX", "00README")  # arXiv's: which file is the main one

MOST_FILES = 2000
_ONLY_FILE = "source.tex"
_LONGEST_NAME = 200

_NUMBER = re.compile(r"\.\d+(?:v\d+)?")

_COMMENT = re.compile(rb"(?<!\\)%[^\n\r]*")
_CLASS = re.compile(rb"\\document(?:class|style)\s*(?:\[[^\]]*\])?\s*\{\s*([^}\s]*)")
_BEGIN = re.compile(rb"\\begin\s*\{document\}")
_PART_CLASSES = (b"subfiles", b"standalone")  # of files that are parts of others
_HEAD = 1 << 16  # bytes, within which a main file has its \documentclass
_LIKELY_NAMES = ("main", "ms", "paper", "article", "manuscript")
_OTHER_KINDS = {
    b"%PDF": "a PDF",
    b"%!PS": "PostScript",
    b"\x04%!PS": "PostScript",
    b"PK\x03\x04": "a zip file",
    b"<": "markup",
    b"%auto-ignore": "withdrawn",
}


def is_eprint_name(name: str) -> bool:
    """Recognise the source of one article by its name: a TeX file or an arXiv e-print."""
    base = name.rsplit("/", 1)[-1].lower()
    if base.startswith("."):
        return False
    if base.endswith((".tar.gz", ".tgz")):
        return _is_arxiv_name(base.removesuffix(".tar.gz").removesuffix(".tgz"))
    return is_tex_name(base) or is_packed_name(base)


def is_source_name(name: str) -> bool:
    """Tell whether the document of this name is a LaTeX source, of a folder or of an archive."""
    return is_tex_name(name) or is_packed_name(name)


def is_tex_name(name: str) -> bool:
    """Recognise a TeX file by its name; it is an article, or a part of one."""
    base = name.rsplit("/", 1)[-1].lower()
    return base.endswith(TEX_SUFFIXES) and not base.startswith(".")


def is_packed_name(name: str) -> bool:
    """Recognise a packed e-print: `x.tex.gz`, a number such as `0704.0001.gz`, or an archive in another."""
    base = name.rsplit("/", 1)[-1].lower()
    if base.startswith("."):
        return False
    if base.endswith(".gz"):
        stem = PurePosixPath(base.removesuffix(".gz"))
        is_number = _NUMBER.fullmatch(stem.suffix) is not None
        return stem.suffix in (*TEX_SUFFIXES, ".tar") or is_number or _is_arxiv_name(stem.name)
    return base.endswith(".tgz")


def is_arxiv_pdf(name: str) -> bool:
    """Recognise an e-print that arXiv has as a PDF alone."""
    base = name.rsplit("/", 1)[-1].lower()
    return base.endswith(".pdf") and _is_arxiv_name(base.removesuffix(".pdf"))


def _is_arxiv_name(stem: str) -> bool:
    return is_arxiv_id(stem.removeprefix("arxiv-"))


def is_part_name(name: str) -> bool:
    """Recognise a file in an archive that an article may read, apart from pictures."""
    suffix = PurePosixPath(name).suffix.lower()
    is_other = suffix in _MORE_SUFFIXES or _NUMBER.fullmatch(suffix) is not None
    return is_folder_part(name) or (is_other and not PurePosixPath(name).name.startswith("."))


def is_folder_part(name: str) -> bool:
    """Recognise a file in a folder that an article may read."""
    path = PurePosixPath(name)
    return path.suffix.lower() in _PART_SUFFIXES and not path.name.startswith(".")


def is_main_file(head: bytes) -> bool:
    """Tell from the first bytes of a TeX file whether it is an article and not a part of one."""
    found = _CLASS.search(_COMMENT.sub(b"", head[:_HEAD]))
    return found is not None and found[1] not in _PART_CLASSES


@dataclass(frozen=True, slots=True)
class LatexSource:
    """The files of an article by their paths, and the path of the main one."""

    files: dict[str, bytes]
    main: str

    @property
    def has_bibliography(self) -> bool:
        """Whether there is the bibliography that BibTeX made."""
        return str(PurePosixPath(self.main).with_suffix(".bbl")) in self.files

    def digest(self) -> str:
        """Hash all names and contents."""
        state = sha256(self.main.encode())
        for name, content in sorted(self.files.items()):
            state.update(f"\0{name}\0{len(content)}\0".encode() + content)
        return state.hexdigest()


def pack_files(files: Mapping[str, bytes]) -> bytes:
    """Pack files of one article as a tar, which depends on names and contents alone."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def unpack_source(data: bytes, name: str, max_bytes: int) -> LatexSource:
    r"""Unpack the source of one article and find its main file.

    A file with the same name as the source, as in sources from folders and archives, is the main one. Else it
    is the one that arXiv's `00README` names; else a file with `\documentclass` or `\documentstyle`,
    preferably with `\begin{document}`, with a `.bbl` of the same name, or called main, ms, paper, article or
    manuscript; then one in a folder further up, the longer one, and the first by name.

    Args:
        data: The source.
        name: Its path.
        max_bytes: How large all files together may be.

    Raises:
        DocumentError: If it is not a LaTeX source, or too large.
    """
    base = PurePosixPath(name).name
    data = _decompressed(data, max_bytes)
    for start, kind in _OTHER_KINDS.items():
        if data[:_HEAD].lstrip().startswith(start):
            raise DocumentError(Reason.NOT_LATEX, kind)
    if not _is_tar(data):
        if b"\0" in data[:_HEAD]:
            raise DocumentError(Reason.NOT_LATEX, "neither text nor a tar")
        if not _CLASS.search(_COMMENT.sub(b"", data)):
            raise DocumentError(Reason.NOT_LATEX, "no \\documentclass")
        # Always by the same name, so that a folder and an archive share what was converted.
        return LatexSource({_ONLY_FILE: data}, _ONLY_FILE)
    files = dict(_members(data, max_bytes))
    main = base if base in files else _noted_main(files) or _best_main(files, base)
    if not _CLASS.search(_COMMENT.sub(b"", files[main])):
        raise DocumentError(Reason.NO_MAIN_FILE, f"no \\documentclass in {main}")
    return LatexSource({path: content for path, content in files.items() if is_part_name(path)}, main)


def group_articles(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes | None]]:
    r"""Cut the TeX files of an archive into articles.

    A file with `\documentclass` is an article, together with the files without one in its folder and below.

    Yields:
        The path and the packed files of each article; also, with None, TeX files that belong to none.
    """
    mains = {name for name, content in files.items() if is_tex_name(name) and is_main_file(content)}
    parts = [name for name in files if name not in mains]
    folders = {_folder_of(name) for name in mains}
    for name in files:
        if name in mains:
            own = {
                part.removeprefix(_folder_of(name)): files[part]
                for part in parts
                if part.startswith(_folder_of(name))
            }
            base = PurePosixPath(name).name
            yield name, pack_files({base: files[name], **own}) if own else files[name]
        elif is_tex_name(name) and not any(name.startswith(folder) for folder in folders):
            yield name, None


def _folder_of(name: str) -> str:
    return name.rpartition("/")[0] + "/" if "/" in name else ""


def _decompressed(data: bytes, max_bytes: int) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.open(io.BytesIO(data)) as file:
            content = file.read(max_bytes + 1)
    except Exception as error:  # gzip and zlib raise many kinds
        raise DocumentError(Reason.UNREADABLE, f"damaged gzip: {error}") from None
    if len(content) > max_bytes:
        raise DocumentError(Reason.TOO_LARGE, f"more than {max_bytes} bytes when decompressed")
    return content


def _is_tar(data: bytes) -> bool:
    try:
        return bool(data) and tarfile.TarInfo.frombuf(data[:512], "utf-8", "surrogateescape").chksum > 0
    except tarfile.HeaderError:
        return False


def _members(data: bytes, max_bytes: int) -> Iterator[tuple[str, bytes]]:
    """Read the files of a tar; links, devices, and names that leave the folder are passed over."""
    left, number = max_bytes, 0
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for member in archive:
                number += 1
                if number > MOST_FILES:
                    raise DocumentError(Reason.TOO_LARGE, f"more than {MOST_FILES} files")
                name = member.name.removeprefix("./")
                is_wanted = is_part_name(name) or name in _NOTES
                if not (member.isreg() and is_wanted and is_clean_name(name)) or member.issparse():
                    continue
                extracted = archive.extractfile(member)
                content = extracted.read(left + 1) if extracted else b""
                left -= len(content)
                if left < 0:
                    raise DocumentError(Reason.TOO_LARGE, f"more than {max_bytes} bytes of TeX")
                yield name, content
    except DocumentError:
        raise
    except Exception as error:  # tarfile raises many kinds
        raise DocumentError(Reason.UNREADABLE, f"damaged tar: {error}") from None


def is_clean_name(name: str) -> bool:
    """Tell whether a path stays inside its folder, and is one that any file system takes."""
    parts = name.split("/")
    return (
        name.isprintable()
        and "\\" not in name
        and all(part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_NAME for part in parts)
        and len(parts) <= 20
    )


def _noted_main(files: Mapping[str, bytes]) -> str | None:
    """Read from arXiv's note which file is the main one."""
    for note in _NOTES:
        text = files.get(note, b"").decode("utf-8", "replace")
        if note.endswith(".json") and text:
            try:
                sources = json.loads(text).get("sources", [])
                names = [entry["filename"] for entry in sources if entry.get("usage") == "toplevel"]
            except (ValueError, AttributeError, KeyError, TypeError, RecursionError):
                names = []
        else:
            words = (line.split() for line in text.splitlines())
            names = [line[0] for line in words if len(line) == 2 and line[1] == "toplevelfile"]
        for name in names:
            if name in files:
                return name
    return None


def _best_main(files: Mapping[str, bytes], name: str) -> str:
    r"""Choose among the files with a `\documentclass`."""
    bare = {
        path: _COMMENT.sub(b"", content)
        for path, content in files.items()
        if not path.endswith((".sty", ".cls"))
    }
    candidates = {path: found[1] for path, text in bare.items() if (found := _CLASS.search(text))}
    if not candidates:
        raise DocumentError(Reason.NO_MAIN_FILE, f"no \\documentclass in {len(files)} files")

    def rank(path: str) -> tuple[object, ...]:
        at = PurePosixPath(path)
        return (
            candidates[path] in _PART_CLASSES,
            _BEGIN.search(bare[path]) is None,
            at.suffix.lower() not in (".tex", ""),
            str(at.with_suffix(".bbl")) not in files,
            at.stem.lower() not in _LIKELY_NAMES and not name.startswith(at.stem),
            len(at.parts),
            -len(files[path]),
            path,
        )

    return min(candidates, key=rank)
