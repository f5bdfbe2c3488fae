"""Archives, read once from front to back: nothing is unpacked to disk and memory stays flat."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO, Self

from ..reasons import Reason
from .documents import Document, FaultyDocument, LoadedDocument, clean_name, is_article_name

TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz")
ZIP_SUFFIXES = (".zip",)

# What the decompressors and archive readers raise on damaged input.
_DAMAGE = (
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


def read_archive(file: BinaryIO, name: str, max_bytes: int) -> Iterator[Document]:
    """Read the articles of an archive; damage ends it with a faulty document instead of an exception."""
    members = _read_zip if name.lower().endswith(ZIP_SUFFIXES) else _read_tar
    try:
        yield from members(file, max_bytes)
    except (ConnectionError, TimeoutError):
        raise  # not the archive's fault: another attempt may succeed
    except _DAMAGE as error:
        detail = f"reading stopped here, what came before is kept: {error or type(error).__name__}"
        yield FaultyDocument(PurePosixPath(name).name, Reason.BROKEN_ARCHIVE, detail)


def _decompressed(file: BinaryIO) -> BinaryIO:
    """Undo the compression of a tar file, in pieces of limited size.

    tarfile could do so itself, but it unpacks whole blocks, and ten kilobytes can hold a hundred megabytes
    of white space; and it stops after the first of several concatenated bzip2 streams.
    """
    buffered = file if isinstance(file, io.BufferedReader) else io.BufferedReader(file)  # pyright: ignore[reportArgumentType]
    magic = buffered.peek(6)
    for signature, opener in _COMPRESSIONS.items():
        if magic.startswith(signature):
            return opener(buffered, "rb")  # pyright: ignore[reportReturnType]
    return buffered


_COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}


class _Member(tarfile.TarInfo):
    """A member whose header must be sound: tarfile takes a damaged or missing one for the end."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:  # pyright: ignore[reportIncompatibleMethodOverride]
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # pyright: ignore[reportAttributeAccessIssue]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(f"no end of the archive, but {error}") from None


def _read_tar(file: BinaryIO, max_bytes: int) -> Iterator[Document]:
    with tarfile.open(fileobj=_decompressed(file), mode="r|", tarinfo=_Member) as archive:
        while (member := archive.next()) is not None:
            # tarfile remembers every member, which for 440,000 of them is half a gigabyte.
            archive.members.clear()  # pyright: ignore[reportAttributeAccessIssue]
            if member.isdir() or not is_article_name(member.name):
                continue
            name = clean_name(member.name)
            if fault := _unsafe(name):
                yield FaultyDocument(name, Reason.UNSAFE_MEMBER, fault)
            elif not member.isreg():
                yield FaultyDocument(name, Reason.UNSAFE_MEMBER, "a link or device, not a file")
            elif member.size > max_bytes:
                yield _too_large(name, member.size)
            else:
                content = archive.extractfile(member)
                data = content.read() if content else b""
                if len(data) < member.size:
                    raise EOFError(f"{name} ends after {len(data)} of {member.size} bytes")
                yield LoadedDocument(name, data)


def _read_zip(file: BinaryIO, max_bytes: int) -> Iterator[Document]:
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            if member.is_dir() or not is_article_name(member.filename):
                continue
            name = clean_name(member.filename)
            if fault := _unsafe(name):
                yield FaultyDocument(name, Reason.UNSAFE_MEMBER, fault)
            elif member.flag_bits & 0x1:
                yield FaultyDocument(name, Reason.UNREADABLE, "encrypted")
            elif member.file_size > max_bytes:
                yield _too_large(name, member.file_size)
            else:
                yield _zip_document(archive, member, name, max_bytes)


def _zip_document(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, max_bytes: int) -> Document:
    try:
        with archive.open(member) as content:
            data = content.read(max_bytes + 1)  # the size in the header may be a lie
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError) as error:
        return FaultyDocument(name, Reason.UNREADABLE, str(error))
    if len(data) > max_bytes:
        return _too_large(name, len(data))
    return LoadedDocument(name, data)


def _unsafe(name: str) -> str | None:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute():
        return "absolute path"
    return "path leaves the archive" if ".." in path.parts else None


def _too_large(name: str, size: int) -> FaultyDocument:
    return FaultyDocument(name, Reason.TOO_LARGE, f"{size} bytes", size=0)
