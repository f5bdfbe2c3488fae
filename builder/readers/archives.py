"""Archives, read once from front to back: nothing is unpacked to disk and memory stays flat."""

import bz2
import gzip
import io
import lzma
import math
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self, cast

from proofmatch.workers import number_of_workers

from ..reasons import Reason
from .documents import Document, FaultyDocument, LoadedDocument, Place, clean_name, is_article_name
from .eprints import group_articles, is_arxiv_pdf, is_clean_name, is_packed_name, is_part_name, is_tex_name

TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
ZIP_SUFFIXES = (".zip",)

# Members that hold names and attributes of the next one. tarfile reads them whole, so they must be small.
_NOTES = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
_LARGEST_NOTE = 1 << 16

# TeX files of an archive are kept until its next folder begins, because an article may have several files.
_LARGEST_GROUP = 1 << 26

# Threads for smaller bzip2 files are not worth their start, and each thread can hold a block of 46 megabytes.
_PARALLEL_FROM = 1 << 23
_MOST_THREADS = 8

_EMPTY_READS = 8  # tarfile needs two or three to notice the end

# What the decompressors and archive readers raise on damaged input.
DAMAGE = (
    struct.error,
    LookupError,
    MemoryError,
    RecursionError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    OverflowError,
)


def is_archive_name(name: str) -> bool:
    """Recognise an archive by its name."""
    return name.lower().endswith(TAR_SUFFIXES + ZIP_SUFFIXES)


def read_archive(
    file: BinaryIO, name: str, max_bytes: int, path: str | None = None, latex: bool = False
) -> Iterator[Document]:
    """Read the articles of an archive; damage ends it with a faulty document instead of an exception.

    Args:
        file: The archive.
        name: Its name, which determines its format.
        max_bytes: Larger members are not loaded.
        path: Its path, if it is a local file.
        latex: Whether LaTeX sources are articles too; else they are passed over.
    """
    members = _read_zip if name.lower().endswith(ZIP_SUFFIXES) else _read_tar
    group = _TexGroup()
    is_wanted = _is_article_or_source if latex else is_article_name
    try:
        for document in members(file, max_bytes, path, is_wanted):
            if is_article_name(document.name):
                yield document
            else:
                yield from group.add(document)
        yield from group.flush()
    except (ConnectionError, TimeoutError):
        raise  # not the archive's fault: another attempt may succeed
    except DAMAGE as error:
        yield from group.flush()
        detail = f"reading stopped here, what came before is kept: {error or type(error).__name__}"
        yield FaultyDocument(PurePosixPath(name).name, Reason.BROKEN_ARCHIVE, detail)


def _is_article_or_source(name: str) -> bool:
    return is_article_name(name) or is_packed_name(name) or is_arxiv_pdf(name) or is_part_name(name)


def holds_latex(file: BinaryIO, name: str, members: int) -> bool:
    """Tell from its first members whether an archive has LaTeX sources; `read_archive` reports damage."""
    looked = 0

    def is_source(name: str) -> bool:
        nonlocal looked
        looked += 1
        if looked > members:
            raise EOFError
        return is_packed_name(name) or is_tex_name(name)

    reader = _read_zip if name.lower().endswith(ZIP_SUFFIXES) else _read_tar
    try:
        return any(True for _ in reader(file, 0, None, is_source))
    except (ConnectionError, TimeoutError):
        raise
    except DAMAGE:
        return False


class _TexGroup:
    """Collects TeX files of an archive as long as they are in the same folder at its top."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._folder: str | None = None
        self._size = 0

    def add(self, document: Document) -> Iterator[Document]:
        """Take a member, and yield what is complete."""
        if is_packed_name(document.name):
            yield document
        elif is_arxiv_pdf(document.name):
            yield FaultyDocument(document.name, Reason.NOT_LATEX, "a PDF")
        elif isinstance(document, FaultyDocument):
            if is_tex_name(document.name):
                yield document
        elif is_clean_name(document.name):
            folder = document.name.partition("/")[0] if "/" in document.name else ""
            if folder != self._folder or self._size > _LARGEST_GROUP:
                yield from self.flush()
                self._folder = folder
            self._files[document.name] = document.read()
            self._size += document.size

    def flush(self) -> Iterator[Document]:
        """Yield the articles of the files collected so far."""
        files, self._files, self._size = self._files, {}, 0
        for name, data in group_articles(files):
            if data is None:
                yield FaultyDocument(
                    name, Reason.NO_MAIN_FILE, "no file with \\documentclass in its folder or above"
                )
            else:
                yield LoadedDocument(name, data)


def _decompressed(file: BinaryIO) -> BinaryIO:
    """Decompress a tar file in pieces of limited size.

    tarfile could do so itself, but it decompresses whole blocks (ten kilobytes can hold a hundred megabytes
    of white space), and it stops after the first of several concatenated bzip2 streams.
    """
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # pyright: ignore[reportArgumentType]
    magic = buffered.peek(6)
    for signature, opener in _COMPRESSIONS.items():
        if magic.startswith(signature):
            return opener(buffered, "rb")  # pyright: ignore[reportReturnType]
    return buffered


def _open_bzip2(file: io.BufferedReader, mode: str) -> BinaryIO:
    """Decompress bzip2 on several cores, if the file is worth it and `indexed_bzip2` is installed."""
    path = getattr(file, "name", None)  # a stream from the network has none
    if isinstance(path, str | Path) and Path(path).is_file() and Path(path).stat().st_size >= _PARALLEL_FROM:
        try:
            from indexed_bzip2 import IndexedBzip2File
        except ImportError:
            pass
        else:
            threads = min(_MOST_THREADS, number_of_workers(None))
            return cast(BinaryIO, _ParallelBzip2(Path(path), IndexedBzip2File(str(path), threads)))
    return cast(BinaryIO, bz2.open(file, mode))


class _ParallelBzip2:
    """A bzip2 file, decompressed by threads until damage is found.

    Damage is left to `bz2`, which starts again: it returns all bytes before the damage, and says what it is.
    """

    def __init__(self, path: Path, decompressed: BinaryIO) -> None:
        self._path = path
        self._file = decompressed
        self._is_parallel = True
        self._position = 0

    def read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except Exception:
            if not self._is_parallel:
                raise
            self.close()
            self._is_parallel = False
            self._file = cast(BinaryIO, bz2.open(self._path, "rb"))  # noqa: SIM115 - closed by `close`
            self._file.seek(self._position)
            data = self._file.read(size)
        self._position += len(data)
        return data

    def close(self) -> None:
        self._file.close()


def _ended(content: BinaryIO) -> AbstractContextManager[object]:
    """End the threads of a decompressor, if it has any; the file is its owner's."""
    return closing(content) if isinstance(content, _ParallelBzip2) else nullcontext()


_COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": _open_bzip2, b"\xfd7zXZ\x00": lzma.open}


class _Ending:
    """A stream that raises at its end: tarfile would keep reading for the terabytes that a header claims.

    It also raises after `most` bytes, if that is given.
    """

    def __init__(self, stream: BinaryIO, most: float = math.inf) -> None:
        self._stream = stream
        self._left = most
        self._empty_reads = 0

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise tarfile.ReadError("it is far larger than it should be")
        self._empty_reads = 0 if data else self._empty_reads + 1
        if self._empty_reads > _EMPTY_READS:
            raise EOFError("a member is larger than the rest of the archive")
        return data


class _Member(tarfile.TarInfo):
    """A member whose header must be valid: tarfile takes a damaged or missing one for the end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.type in _NOTES and member.size > _LARGEST_NOTE:
            raise tarfile.ReadError(f"a name of {member.size} bytes")
        return member

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # pyright: ignore[reportAttributeAccessIssue]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"no end of the archive, but {error}") from None

    def _proc_sparse(self, archive: tarfile.TarFile) -> Self:  # noqa: ARG002 - as tarfile calls it
        # The list of holes may be as long as the archive, and tarfile keeps all of it.
        raise tarfile.ReadError(f"{clean_name(self.name)} has holes, which no article has")

    def _proc_gnusparse_10(self, _next: Self, _headers: dict[str, str], archive: tarfile.TarFile) -> None:
        self._proc_sparse(archive)


def _read_tar(
    file: BinaryIO, max_bytes: int, path: str | None, is_wanted: Callable[[str], bool]
) -> Iterator[Document]:
    content = _decompressed(file)
    if content is not file:
        path = None  # members of a compressed file can only be read in order
    stream = cast(BinaryIO, _Ending(content))
    with _ended(content), tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
        while (member := archive.next()) is not None:
            # tarfile keeps all members, half a gigabyte for 440,000 of them, and all their attributes.
            archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]
            archive.pax_headers.clear()  # pyright: ignore[reportAttributeAccessIssue]
            if member.isdir() or not is_wanted(member.name):
                continue
            name = clean_name(member.name)
            if fault := _unsafe(name):
                yield FaultyDocument(name, Reason.UNSAFE_MEMBER, fault)
            elif not member.isreg():
                yield FaultyDocument(name, Reason.UNSAFE_MEMBER, "a link or device, not a file")
            elif member.size > max_bytes:
                yield _too_large(name, member.size)
            else:
                extracted = archive.extractfile(member)
                data = extracted.read() if extracted else b""
                if len(data) < member.size:
                    raise EOFError(f"{name} ends after {len(data)} of {member.size} bytes")
                at = Place(path, member.offset_data) if path and not member.issparse() else None
                yield LoadedDocument(name, data, at)


def _read_zip(
    file: BinaryIO, max_bytes: int, path: str | None, is_wanted: Callable[[str], bool]
) -> Iterator[Document]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.is_dir() or not is_wanted(member.filename):
                continue
            name = clean_name(member.filename)
            if fault := _unsafe(name):
                yield FaultyDocument(name, Reason.UNSAFE_MEMBER, fault)
            elif member.flag_bits & 0x1:
                yield FaultyDocument(name, Reason.UNREADABLE, "encrypted")
            elif member.file_size > max_bytes:
                yield _too_large(name, member.file_size)
            else:
                place = Place(path, member.header_offset) if path else None
                yield _zip_document(archive, member, name, max_bytes, place)


def _zip_document(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, max_bytes: int, place: Place | None
) -> Document:
    try:
        data = read_zip_member(archive, member, max_bytes + 1)  # the size in the header may be wrong
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError) as error:
        return FaultyDocument(name, Reason.UNREADABLE, str(error))
    if len(data) > max_bytes:
        return _too_large(name, len(data))
    return LoadedDocument(name, data, place)


def read_zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """Read at most `most` bytes of a member, if it can be decompressed in pieces.

    With the newer compressions, zipfile decompresses everything it has read: a kilobyte can hold gigabytes.
    """
    _check_compression(member)
    with archive.open(member) as content:
        return content.read(most)


def _check_compression(member: zipfile.ZipInfo) -> None:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("neither deflated nor stored; pack it again")


def open_members(path: Path, is_wanted: Callable[[str], bool], most: int) -> Iterator[tuple[str, BinaryIO]]:
    """Open the files of an archive whose names are wanted, in its order; each is valid until the next.

    Nothing is unpacked. A tar file is read up to `most` bytes, a member of a zip file likewise.

    Raises:
        Exception: One of `DAMAGE`, also for a wanted member that is a link or leads out of the archive.
    """
    with path.open("rb") as file:
        if path.name.lower().endswith(ZIP_SUFFIXES):
            with zipfile.ZipFile(file) as archive:
                for member in archive.infolist():
                    if not member.is_dir() and is_wanted(member.filename):
                        _check_member(member.filename, is_file=True)
                        if member.flag_bits & 0x1 or member.file_size > most:
                            raise zipfile.BadZipFile("a member is encrypted or far larger than it should be")
                        _check_compression(member)
                        with archive.open(member) as content:
                            yield member.filename, cast(BinaryIO, content)
            return
        content = _decompressed(file)
        stream = cast(BinaryIO, _Ending(content, most))
        with _ended(content), tarfile.open(fileobj=stream, mode="r|", tarinfo=_Member) as archive:
            while (member := archive.next()) is not None:
                archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]
                archive.pax_headers.clear()  # pyright: ignore[reportAttributeAccessIssue]
                if not member.isdir() and is_wanted(member.name):
                    _check_member(member.name, is_file=member.isreg())
                    yield member.name, cast(BinaryIO, archive.extractfile(member))


def _check_member(name: str, *, is_file: bool) -> None:
    fault = _unsafe(name) or (None if is_file else "a link or device, not a file")
    if fault:
        raise ValueError(f"{clean_name(name)}: {fault}")


def _unsafe(name: str) -> str | None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute():
        return "absolute path"
    return "path leaves the archive" if ".." in path.parts else None


def _too_large(name: str, size: int) -> FaultyDocument:
    return FaultyDocument(name, Reason.TOO_LARGE, f"{size} bytes", size=0)


class PlaceReader(ExitStack):
    """Reads documents from their places; keeps the last zip file open for the next one."""

    def __init__(self) -> None:
        super().__init__()
        self._opened: tuple[str, zipfile.ZipFile, dict[int, zipfile.ZipInfo]] | None = None

    def read(self, place: Place, size: int) -> bytes:
        """Read a document; if the archive has changed, `zipfile` may raise any exception."""
        if place.archive.lower().endswith(ZIP_SUFFIXES):
            archive, members = self._open(place.archive)
            return read_zip_member(archive, members[place.offset], size + 1)
        with Path(place.archive).open("rb") as file:
            file.seek(place.offset)
            return file.read(size)

    def _open(self, path: str) -> tuple[zipfile.ZipFile, dict[int, zipfile.ZipInfo]]:
        if self._opened is None or self._opened[0] != path:
            self.close()
            self._opened = None
            archive = self.enter_context(zipfile.ZipFile(path))
            self._opened = path, archive, {member.header_offset: member for member in archive.infolist()}
        return self._opened[1:]
