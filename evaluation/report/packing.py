"""Data inside a page: compressed, and unpacked by the browser piece by piece when it is needed."""

import json
import zlib
from base64 import b64encode
from typing import Any

from ..pages.texts import Pieces

# Of a page: mail and code hosts take files of up to 25.
DEFAULT_MEGABYTES = 24.0

# Texts in a piece. More are smaller together, and take the browser longer to open.
_TEXTS = 64


def packed(data: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """Compress data and write them in letters."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(), 9)).decode()


class TextStore:
    """Texts, each once, in pieces of some.

    Attributes:
        size: How large the finished pieces are.
    """

    def __init__(self) -> None:
        self.size = 0
        self._numbers: dict[str, int] = {}
        self._finished: list[str] = []
        self._open: list[Pieces] = []

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def add(self, name: str, pieces: Pieces) -> None:
        """Add a text that is not there yet."""
        self._numbers[name] = len(self._numbers)
        self._open.append(pieces)
        if len(self._open) == _TEXTS:
            self._finish()

    def number(self, name: str) -> int:
        """Tell the number of a text."""
        return self._numbers[name]

    def pieces(self) -> list[str]:
        """Give all texts, packed."""
        if self._open:
            self._finish()
        return self._finished

    @property
    def texts_in_piece(self) -> int:
        """How many texts a piece has, but for the last."""
        return _TEXTS

    def _finish(self) -> None:
        self._finished.append(packed(self._open))
        self.size += len(self._finished[-1])
        self._open = []
