"""A published file as a stream of blocks, and how to refuse one."""

import bz2
import gzip
import lzma
import re
import zlib
from pathlib import Path
from typing import BinaryIO, NoReturn

from proofmatch.errors import ProofmatchError

from ..settings import MEBIBYTE

# Between the id, the statement and the proof of a pair.
SEPARATOR = re.compile(rb"_{8,}")

_READ = 4 * MEBIBYTE
_LONGEST_BLOCK = 64 * MEBIBYTE  # the list of all articles is a tenth of it, a pair some kilobytes
_OPEN = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_EXCERPT = 60


def open_published(path: Path) -> BinaryIO:
    """Open a file, compressed or not."""
    try:
        return _OPEN.get(path.suffix, open)(path, "rb")  # pyright: ignore[reportReturnType]
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read: {error.strerror}") from None


class BlockReader:
    """Reads a stream block by block; an empty line ends a block.

    Attributes:
        line: Number of the next line.
    """

    def __init__(self, stream: BinaryIO, path: Path) -> None:
        self.path = path
        self.line = 1
        self._stream = stream
        self._buffer = b""
        self._ended = False

    def block(self) -> bytes:
        """Take one block, nothing at the end of the file."""
        self._skip_empty_lines()
        while (end := self._buffer.find(b"\n\n")) < 0 and not self._ended:
            self._fill()
        return self._take(len(self._buffer) if end < 0 else end + 1)

    def blocks(self, size: int) -> bytes:
        """Take as many blocks as make up about a size, at least one; nothing at the end of the file."""
        self._skip_empty_lines()
        while not self._ended and (len(self._buffer) < size or b"\n\n" not in self._buffer):
            self._fill()
        end = self._buffer.rfind(b"\n\n")
        return self._take(len(self._buffer) if self._ended or end < 0 else end + 1)

    def is_pair(self) -> bool:
        """Tell whether the next block is a pair: its second line is a separator."""
        self._skip_empty_lines()
        while self._buffer.count(b"\n") < 2 and not self._ended:
            self._fill()
        lines = self._buffer.split(b"\n", 2)
        return len(lines) > 1 and bool(SEPARATOR.fullmatch(lines[1]))

    def _skip_empty_lines(self) -> None:
        while not self._buffer.strip(b"\n") and not self._ended:
            self._fill()
        self._take(len(self._buffer) - len(self._buffer.lstrip(b"\n")))

    def _take(self, size: int) -> bytes:
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        self.line += taken.count(b"\n")
        return taken

    def _fill(self) -> None:
        try:
            more = self._stream.read(_READ)
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise ProofmatchError(f"{self.path} cannot be read ({error}); download it again") from None
        self._ended = not more
        # As files look after a detour over Windows; a line end may be cut in two by the end of a read.
        self._buffer = (self._buffer + more).replace(b"\r\n", b"\n")
        if len(self._buffer) > _LONGEST_BLOCK:
            expected_at(self.path, self.line, "blocks separated by empty lines", b"a block without end")


def decoded(path: Path, line: int, text: bytes) -> str:
    """Decode a line, or refuse it."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        expected_at(path, line, "text in UTF-8", text)


def excerpt(text: str) -> str:
    r"""Quote what a message shows of a file, shortened after signs have been written out: one can become ten.

    >>> excerpt("x\x00")
    "'x\\x00'"
    """
    shown = repr(text[: _EXCERPT + 1])
    return shown if len(shown) <= _EXCERPT + 2 else f"{shown[: _EXCERPT + 1]}…{shown[-1]}"


def expected_at(path: Path, line: int, expected: str, found: bytes) -> NoReturn:
    """Refuse a file.

    Raises:
        ProofmatchError: Always, naming file, line, what was expected and what is there.
    """
    shown = excerpt(found.decode("utf-8", "replace").partition("\n")[0])
    raise ProofmatchError(
        f"{path}, line {line}: expected {expected}, found {shown}; "
        "the file is damaged or not one of the published ones"
    )
