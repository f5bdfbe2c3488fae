"""Strict reading of untrusted JSON files, with limits on their size and depth."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .storage import read_limited

MOST_BYTES = 4_000_000  # as Python objects, up to 130 MB
_DEEPEST = 64


def read_json(path: Path, most: int = MOST_BYTES) -> Any:  # noqa: ANN401 - any JSON value
    """Read a regular file that has one JSON value.

    Args:
        path: The file.
        most: Its largest size in bytes.

    Raises:
        OSError: If it cannot be read, is larger, or is not a regular file.
        ValueError: If it is not JSON, repeats a key, is nested too deeply, or has a number or string that
            cannot be written again.
    """
    text = read_limited(path, most).decode("utf-8")
    try:
        content = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
        del text
        if _is_deeper(content, _DEEPEST):
            raise RecursionError
        # Infinite numbers and lone surrogates could not be written again.
        json.dumps(content, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        raise ValueError(f"nested more than {_DEEPEST} deep") from None
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError("a key occurs twice")
    return content


def _is_deeper(content: object, most: int) -> bool:
    """Tell whether lists and objects are nested more than `most` levels deep."""
    open_: list[Iterator[object]] = [iter((content,))]
    while open_:
        value = next(open_[-1], open_)  # the stack itself marks the end of a level
        if value is open_:
            open_.pop()
        elif isinstance(value, dict | list):
            open_.append(iter(value.values() if isinstance(value, dict) else value))
            if len(open_) > most + 1:
                return True
    return False
