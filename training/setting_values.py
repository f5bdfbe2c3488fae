"""What stands behind `=` in `--set key=value`."""

import math
import tomllib
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from proofmatch.errors import ProofmatchError

_CONSTANTS = {"none": None, "true": True, "false": False}
_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a table",
    NoneType: "none",
}


def read_value(key: str, text: str, kind: Any) -> Any:  # noqa: ANN401 - any type, and a value of it
    """Read a value as TOML has it; text needs no quotes.

    Args:
        key: Whose value it is.
        text: What was typed.
        kind: The type it should have.

    Raises:
        ProofmatchError: If it is of another type.
    """
    value = _parse(text)
    if _fits(value, kind):
        return value
    if _fits(text, kind):
        return text  # a text that looks like a number
    wanted = " or ".join(dict.fromkeys(name for part in _parts(kind) if (name := _NAMES.get(part))))
    raise ProofmatchError(f"{key} must be {wanted}, not {text!r}")


def _parse(text: str) -> Any:  # noqa: ANN401
    if text.lower() in _CONSTANTS:
        return _CONSTANTS[text.lower()]
    if "\n" in text:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _fits(value: Any, kind: Any) -> bool:  # noqa: ANN401
    for part in _parts(kind):
        if part is float and isinstance(value, int | float) and not isinstance(value, bool):
            return math.isfinite(value)
        if isinstance(value, part) and (part is not int or not isinstance(value, bool)):
            return True
    return False


def _parts(kind: Any) -> list[Any]:  # noqa: ANN401
    """Take apart a union, and leave away what a list is of."""
    if get_origin(kind) is Literal:
        return [type(one) for one in get_args(kind)]
    if get_origin(kind) in (Union, UnionType):
        return [part for one in get_args(kind) for part in _parts(one)]
    return [get_origin(kind) or kind]
