"""Lines of a text file that may be damaged in any way."""

import zlib
from collections.abc import Iterator
from gzip import BadGzipFile
from typing import BinaryIO

from .parsed import RowCollector

LONGEST_LINE = 2**26  # bytes; a row with 1.5 million proofs

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(file: BinaryIO, collector: RowCollector) -> Iterator[tuple[int, str]]:
    """Read the lines that are text, numbered from 1; what is wrong with the others goes to the collector."""
    number = 0
    while True:
        try:
            line = file.readline(LONGEST_LINE)
        except (BadGzipFile, EOFError, zlib.error) as error:
            collector.add_fault(
                number + 1,
                None,
                f"compressed data is damaged or cut off ({error}); compress or fetch the file again",
            )
            return
        if not line:
            return
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            length = f"{LONGEST_LINE >> 20} MB"
            collector.add_fault(
                number, None, f"longer than {length}, where reading ended; write a row a line"
            )
            return
        if number == 1 and line.startswith(_BYTE_ORDER_MARK):
            collector.add_fault(1, None, "begins with a byte order mark; save the file as UTF-8 without one")
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line.strip():
            collector.add_fault(number, None, "is blank; leave it out")
            continue
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            collector.add_fault(number, None, f"byte {error.start + 1} is not UTF-8; save the file as UTF-8")
            continue
        yield number, text
