"""As much of JSON Schema as `result.schema.json` uses: the base installation has no validator."""

import json
import operator
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

_RESULT_SCHEMA = Path(__file__).parent.parent / "result.schema.json"
_SHOWN = 60  # characters of a wrong value


def faults_of_result(result: object) -> list[str]:
    """List what is not as `result.schema.json` wants it, each with its place."""
    schema = _result_schema()
    return list(_faults(result, schema, "", schema))


@cache
def _result_schema() -> dict[str, Any]:
    return json.loads(_RESULT_SCHEMA.read_text(encoding="utf-8"))


def _faults(value: Any, schema: dict[str, Any], place: str, root: dict[str, Any]) -> Iterator[str]:  # noqa: ANN401
    if "$ref" in schema:
        schema = _resolved(schema["$ref"], root)
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(_TYPES[name](value) for name in types):
        yield f"{place or 'the file'} must be of type {' or '.join(types)}, not {_short(value)}"
        return
    if "const" in schema and not _equal(value, schema["const"]):
        yield f"{place} must be {json.dumps(schema['const'])}, not {_short(value)}"
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        yield f"{place} must be one of {', '.join(map(str, schema['enum']))}, not {_short(value)}"
    if isinstance(value, str):
        yield from _faults_of_text(value, schema, place)
    elif isinstance(value, dict):
        yield from _faults_of_object(value, schema, place, root)
    elif isinstance(value, list):
        yield from _faults_of_list(value, schema, place, root)
    elif _is_number(value):
        yield from _faults_of_number(value, schema, place)


def _faults_of_text(value: str, schema: dict[str, Any], place: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"{place} must not be empty"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place} must be like {schema['pattern']}, not {_short(value)}"


def _faults_of_number(value: float, schema: dict[str, Any], place: str) -> Iterator[str]:
    for keyword, is_good, words in (
        ("minimum", operator.ge, "at least"),
        ("maximum", operator.le, "at most"),
        ("exclusiveMinimum", operator.gt, "greater than"),
    ):
        if keyword in schema and not is_good(value, schema[keyword]):
            yield f"{place} must be {words} {schema[keyword]}, not {_short(value)}"


def _faults_of_list(
    value: list[Any], schema: dict[str, Any], place: str, root: dict[str, Any]
) -> Iterator[str]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{place} must have {schema['minItems']} values, not {len(value)}"
    for number, (item, wanted) in enumerate(zip(value, schema.get("prefixItems", []), strict=False)):
        yield from _faults(item, wanted, f"{place}[{number}]", root)


def _faults_of_object(
    value: dict[str, Any], schema: dict[str, Any], place: str, root: dict[str, Any]
) -> Iterator[str]:
    where = f"{place}." if place else ""
    wanted = [name for name in schema.get("required", []) if name not in value]
    for field, needed in schema.get("dependentRequired", {}).items():
        wanted += [name for name in needed if field in value and name not in value]
    for name in wanted:
        yield f"{where}{name} is missing"
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    names = schema.get("propertyNames")
    for name, item in value.items():
        shown = f"{where}{name if name.isprintable() else ascii(name)}"
        if names is not None and list(_faults(name, names, "", root)):
            yield f"{shown} is not a name that may be there"
        elif name in properties:
            yield from _faults(item, properties[name], shown, root)
        elif others is False:
            yield f"{shown} is not a field of a result"
        elif others is not True:
            yield from _faults(item, others, shown, root)


def _resolved(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    schema = root
    for name in reference.removeprefix("#/").split("/"):
        schema = schema[name]
    return schema


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or float(value).is_integer())  # type: ignore[arg-type]


def _equal(value: object, other: object) -> bool:
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_TYPES: dict[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
