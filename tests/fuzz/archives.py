"""Archives: any bytes are documents, each good or known to be faulty; nothing large is ever in memory."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import warnings
import zipfile
from functools import cache, partial
from pathlib import Path
from random import Random

from proofmatch.builder.readers.archives import read_archive
from proofmatch.builder.readers.documents import FaultyDocument, LoadedDocument
from proofmatch.builder.reasons import DocumentError
from tests.fuzz.mutations import ANY_BYTES, damaged
from tests.fuzz.targets import check

MEGABYTES = 100
SHARE = 0.5

_MOST = 1 << 20  # bytes of a member
_NAMES = (
    *(
        "a.xhtml",
        "b/c.html",
        "../x.xhtml",
        "/etc/x.html",
        "./d.xml",
        "C:\\x.html",
        "..\\x.html",
        "a/../../b.html",
    ),
    *(
        "\udcff.xhtml",
        "é.html",
        "x" * 300 + ".html",
        "a\nb.html",
        "nul\0.html",
        ".hidden.html",
        "folder/",
        "e.png",
    ),
    *("inner.tar.gz", "x.html ", "  .html", "\u202elmth.html", "con.html", "a//b.html", "", "x.xhtml/"),
)
_KINDS = (*[tarfile.REGTYPE] * 8, *(tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE))
_RARE_KINDS = (
    tarfile.FIFOTYPE,
    tarfile.GNUTYPE_SPARSE,
    tarfile.CONTTYPE,
    b"L",
    b"K",
    b"x",
    b"g",
    b"X",
    b"S",
    b"?",
)
_PACKERS = {
    "": bytes,
    ".gz": partial(gzip.compress, compresslevel=1, mtime=0),
    ".bz2": partial(bz2.compress, compresslevel=1),
    ".xz": partial(lzma.compress, preset=0),
}
_SIZES = (*[0, 1, 511, 512, 513, 5000] * 4, _MOST, _MOST + 1)
_LIES = (0, 1, 10_000, _MOST, 2**31, 2**33 - 1, 2**40, 2**62)
_METHODS = (
    zipfile.ZIP_STORED,
    zipfile.ZIP_DEFLATED,
    zipfile.ZIP_DEFLATED,
    zipfile.ZIP_BZIP2,
    zipfile.ZIP_LZMA,
)


@cache
def _content(size: int) -> bytes:
    return (b"<html>" + b"x " * (size // 2))[:size]


def _tar(chance: Random) -> bytes:
    file = io.BytesIO()
    form = chance.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=file, mode="w", format=form) as archive:
        for _ in range(chance.randrange(1, 6)):
            member = tarfile.TarInfo(chance.choice(_NAMES))
            member.type = chance.choice((*_KINDS, *_KINDS, chance.choice(_RARE_KINDS)))
            member.linkname = chance.choice(("", "a.xhtml", "/etc/passwd"))
            data = _content(chance.choice(_SIZES)) if member.type == tarfile.REGTYPE else b""
            member.size = len(data)
            if form == tarfile.PAX_FORMAT and chance.random() < 0.3:
                member.pax_headers = {
                    chance.choice(("path", "size", "GNU.sparse.map", "x")): chance.choice(_NAMES)
                }
            try:
                archive.addfile(member, io.BytesIO(data))
            except (ValueError, tarfile.TarError):  # a name that this form cannot have
                continue
    data = file.getvalue()
    if chance.random() < 0.3:
        data = _lying_header(data, chance)
    # Notes about notes: what reads them may call itself.
    return (
        _lying_header(data, chance)[:512] * chance.choice((20, 3000)) + data
        if chance.random() < 0.02
        else data
    )


def _lying_header(data: bytes, chance: Random) -> bytes:
    """Change the size or the kind of a member, and set its checksum right."""
    header = bytearray(data[:512])
    if len(header) < 512:
        return data
    size = chance.choice(_LIES)
    header[124:136] = b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")
    header[156:157] = chance.choice((bytes(header[156:157]), *_RARE_KINDS))
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + data[512:]


def _zip(chance: Random) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for _ in range(chance.randrange(1, 6)):
            name = chance.choice(_NAMES).encode("utf-8", "replace").decode()
            data = _content(chance.choice(_SIZES))
            with warnings.catch_warnings(action="ignore"):  # names may be there twice
                archive.writestr(zipfile.ZipInfo(name or "x.html"), data, chance.choice(_METHODS))
    data = bytearray(file.getvalue())
    # Fields of headers: versions, flags, methods, sizes, offsets.
    for _ in range(chance.choice((0, 0, 1, 2))):
        at = data.find(
            chance.choice((b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")), chance.randrange(len(data) // 2)
        )
        if at >= 0:
            place = at + chance.randrange(4, 46)
            form = chance.choice(("<H", "<I"))
            value = chance.choice((0, 1, 8, 12, 14, 2**15, 2**16 - 1, 2**31, 2**32 - 1))
            packed = struct.pack(form, value & (2 ** (8 * struct.calcsize(form)) - 1))
            data[place : place + len(packed)] = packed
    return bytes(data)


def make(chance: Random) -> tuple[str, bytes]:
    if chance.random() < 0.4:
        name, data = "x.zip", _zip(chance)
    else:
        suffix = chance.choice(("", "", "", ".gz", ".bz2", ".xz"))
        name, data = f"x.tar{suffix}", _tar(chance)
        data = damaged(data, chance, ANY_BYTES) if chance.random() < 0.2 else data
        data = _PACKERS[suffix](data)
    if chance.random() < 0.4:
        data = damaged(data, chance, ANY_BYTES)
    return name, data


def run(archive: tuple[str, bytes], folder: Path) -> str:
    name, data = archive
    path = folder / name
    path.write_bytes(data)
    loaded = faulty = 0
    with path.open("rb") as file:
        for document in read_archive(file, name, _MOST):
            document.name.encode()
            document.stamp.encode()
            if isinstance(document, LoadedDocument):
                check(document.size <= _MOST, f"{document.size} bytes in memory")
                loaded += 1
                continue
            check(isinstance(document, FaultyDocument), f"a {type(document).__name__}")
            faulty += 1
            try:
                document.read()
            except DocumentError as error:
                check(error.reason, "no reason")
    if not loaded:
        return "faults only" if faulty else "nothing"
    return "documents and faults" if faulty else "documents"
