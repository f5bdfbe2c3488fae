"""How documents are packed: portions of a tar file, compressed each for itself, or files in a folder.

Portions of a compressed archive are streams of their own, one after the other, which all tools read as one
file. So they can be made at the same time, and the bytes are the same however many processes make them.
"""

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

from proofmatch.errors import ProofmatchError

_BLOCK = 512
_END_OF_ARCHIVE = bytes(2 * _BLOCK)

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".tar": bytes,
    ".tar.gz": lambda data: gzip.compress(data, compresslevel=6, mtime=0),
    ".tar.bz2": bz2.compress,
    ".tar.xz": lzma.compress,
}


def kind_of_output(path: Path) -> str | None:
    """Name the suffix of an archive, or None for a folder.

    Raises:
        ProofmatchError: If it looks like a file of another kind.
    """
    for suffix in sorted(COMPRESSIONS, key=len, reverse=True):
        if path.name.endswith(suffix) and path.name != suffix:
            return suffix
    if path.suffix in (".zip", ".gz", ".bz2", ".xz", ".tgz", ".json"):
        raise ProofmatchError(
            f"{path} cannot be written; give a folder or an archive that ends in {', '.join(COMPRESSIONS)}"
        )
    return None


def pack_portion(files: Iterable[tuple[str, bytes]], kind: str) -> bytes:
    """Pack files as a portion of an archive."""
    pieces = []
    for name, data in files:
        header = tarfile.TarInfo(name)
        header.size = len(data)
        pieces += [header.tobuf(tarfile.USTAR_FORMAT), data, bytes(-len(data) % _BLOCK)]
    return COMPRESSIONS[kind](b"".join(pieces))


def end_of_archive(kind: str) -> bytes:
    """Give the last portion."""
    return COMPRESSIONS[kind](_END_OF_ARCHIVE)


def write_files(files: Iterable[tuple[str, bytes]], folder: Path) -> None:
    """Write files into a folder."""
    for name, data in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
