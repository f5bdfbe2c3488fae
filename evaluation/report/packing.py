"""Data inside a page: compressed, and unpacked by the browser piece by piece when it is needed."""

import json
import zlib
from base64 import b64decode, b64encode
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


def unpacked(letters: str) -> Any:  # noqa: ANN401 - whatever was packed
    """Read what `packed` has written, as the browser does."""
    return json.loads(zlib.decompress(b64decode(letters)))


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

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def add(self, name: str, pieces: Pieces) -> None:
        """Add a text that is not there yet."""
        self._numbers[name] = len(self._numbers)
        self._open.append(pieces)
        if len(self._open) == _TEXTS:
            self._finished.append(packed(self._open))
            self.size += len(self._finished[-1])
            self._open = []

    def number(self, name: str) -> int:
        """Tell the number of a text."""
        return self._numbers[name]

    def pieces(self, n_texts: int) -> list[str]:
        """Give the first of the texts, packed."""
        whole, rest = divmod(n_texts, _TEXTS)
        pieces = self._finished[:whole]
        if rest:
            last = self._open if whole == len(self._finished) else unpacked(self._finished[whole])
            pieces.append(packed(last[:rest]))
        return pieces

    @property
    def texts_in_piece(self) -> int:
        """How many texts a piece has, but for the last."""
        return _TEXTS
