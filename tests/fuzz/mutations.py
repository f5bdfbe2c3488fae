"""Damage to files by bit flips, editors, converters and attackers; reproducible by its seed."""

import re
from collections.abc import Callable, Sequence
from random import Random

LARGEST = 1 << 18  # bytes; what is worth trying is smaller

_TAG = re.compile(rb"<[^<>]*>")
_ATTRIBUTE = re.compile(rb'\s[\w:-]+="[^"]*"')
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")

# What readers of text often stumble over.
CHARACTERS = tuple(
    character.encode("utf-8", "surrogatepass")
    for character in (
        *("\0", "\x01", "\x1f", "\x7f", "\x85", "\xa0", "\u00ad", "\u0300", "\u034f", "\u200b", "\u2028"),
        *("\u202e", "\u2061", "\u3000", "\ufdd0", "\ufeff", "\uffff", "\ud800", "\U0001d431", "\U0010ffff"),
        *("\ue000", "ﬁ", "İ", "ß", "١", "²", "½", "ℝ", "\r", "\r\n", "\n\n", "\t", "\x0b", "\x1c"),
    )
)
NUMBERS = (b"0", b"-1", b"1e999", b"-0.0", b"NaN", b"Infinity", b"2147483648", b"9" * 25, b"1_000", b"0x10")
ENTITIES = (
    *(
        b"&amp;",
        b"&lt;",
        b"&nbsp;",
        b"&alpha;",
        b"&bogus;",
        b"&#0;",
        b"&#xD800;",
        b"&#x110000;",
        b"&#x1D431;",
    ),
    *(b"&", b"&#;", b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?pi", b"?>", b"&#99999999999;"),
    *(b'<!DOCTYPE html [<!ENTITY a "x">]>', b'<!DOCTYPE html SYSTEM "x.dtd">', b"%a;", b"&a;"),
    *(b'<?xml version="1.0" encoding="utf-16"?>', b'<?xml version="1.1"?>', b'<?xml encoding="cp037"?>'),
)

Damage = Callable[[bytes, Random], bytes]


def _span(data: bytes, chance: Random, longest: int = 400) -> tuple[int, int]:
    """A stretch of the data, more often short than long."""
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + int(chance.paretovariate(0.7)) % longest)


def flip_bits(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8)) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def put_bytes(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance, 8)
    return data[:start] + chance.randbytes(chance.randrange(1, 6)) + data[end:]


def put_character(data: bytes, chance: Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(CHARACTERS) + data[place:]


def delete(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def double(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:end] + data[start:]


def repeat(data: bytes, chance: Random) -> bytes:
    """A short stretch, hundreds or thousands of times: what grows with the square shows here."""
    start, end = _span(data, chance, 12)
    return data[:start] + data[start:end] * chance.choice((50, 400, 3000)) + data[end:]


def move(data: bytes, chance: Random) -> bytes:
    start, end = _span(data, chance)
    rest = data[:start] + data[end:]
    place = chance.randrange(len(rest) + 1)
    return rest[:place] + data[start:end] + rest[place:]


def cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def change_number(data: bytes, chance: Random) -> bytes:
    if not (numbers := list(_NUMBER.finditer(data[:LARGEST]))):
        return data
    number = chance.choice(numbers)
    return data[: number.start()] + chance.choice(NUMBERS) + data[number.end() :]


ANY_BYTES: tuple[Damage, ...] = (flip_bits, put_bytes, put_character, delete, double, repeat, move, cut)


def delete_line(data: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    del lines[chance.randrange(len(lines))]
    return b"\n".join(lines)


def double_line(data: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
    return b"\n".join(lines)


def swap_lines(data: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def empty_line(data: bytes, chance: Random) -> bytes:
    lines = data.split(b"\n")
    lines[chance.randrange(len(lines))] = chance.choice((b"", b" ", b"\t"))
    return b"\n".join(lines)


LINES: tuple[Damage, ...] = (delete_line, double_line, swap_lines, empty_line, change_number)


def _tag(data: bytes, chance: Random) -> re.Match[bytes] | None:
    """A tag near some place of the data."""
    return _TAG.search(data, chance.randrange(len(data) + 1)) or _TAG.search(data)


def delete_tag(data: bytes, chance: Random) -> bytes:
    tag = _tag(data, chance)
    return data if tag is None else data[: tag.start()] + data[tag.end() :]


def copy_tag(data: bytes, chance: Random) -> bytes:
    tag = _tag(data, chance)
    place = chance.randrange(len(data) + 1)
    return data if tag is None else data[:place] + tag[0] + data[place:]


def _element(data: bytes, chance: Random) -> tuple[int, int]:
    """The stretch from a tag to one that closes an element of its name, maybe its own."""
    tag = _tag(data, chance)
    name = re.match(rb"<([\w:]+)", tag[0]) if tag else None
    end = re.compile(rb"</" + re.escape(name[1]) + rb"\s*>").search(data, tag.end()) if tag and name else None
    return (tag.start(), end.end()) if tag and end else (0, 0)


def delete_element(data: bytes, chance: Random) -> bytes:
    start, end = _element(data, chance)
    return data[:start] + data[end:]


def double_element(data: bytes, chance: Random) -> bytes:
    start, end = _element(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 20)) + data[end:]


def nest_element(data: bytes, chance: Random) -> bytes:
    """An element inside itself, sometimes beyond every limit of depth."""
    start, end = _element(data, chance)
    opening = _TAG.match(data, start)
    if opening is None or end == 0:
        return data
    depth = chance.choice((1, 5, 60, 250, 3000))
    closing = data[data.rindex(b"<", start, end) : end]
    return data[:start] + opening[0] * depth + data[start:end] + closing * depth + data[end:]


def move_element(data: bytes, chance: Random) -> bytes:
    start, end = _element(data, chance)
    rest = data[:start] + data[end:]
    tag = _tag(rest, chance)
    place = tag.end() if tag else 0
    return rest[:place] + data[start:end] + rest[place:]


def rename_element(data: bytes, chance: Random) -> bytes:
    """Give an element the name of another; both its ends, so that it stays well-formed."""
    start, end = _element(data, chance)
    other = re.match(rb"<([\w:]+)", chance.choice(_TAG.findall(data) or [b"<x>"]))
    name = re.match(rb"<([\w:]+)", data[start:end])
    if not other or not name:
        return data
    inside = data[start:end].replace(name[1], other[1], 1)
    at = inside.rindex(b"</")
    return data[:start] + inside[:at] + b"</" + other[1] + b">" + data[end:]


def change_attribute(data: bytes, chance: Random) -> bytes:
    attributes = [*_ATTRIBUTE.finditer(data, chance.randrange(len(data) + 1))][:50]
    if not attributes:
        return data
    one, other = chance.choice(attributes), chance.choice(attributes)
    name, _, value = other[0].partition(b"=")
    replacement = chance.choice(
        (
            b"",
            other[0],
            one[0] + one[0],
            name + b'="' + b"x" * chance.choice((10, 1000, 100_000)) + b'"',
            name + b'=""',
            name + b'="' + chance.choice(CHARACTERS) + b'"',
            b" mathvariant=" + value,
            b" class=" + value,
        )
    )
    return data[: one.start()] + replacement + data[one.end() :]


def put_entity(data: bytes, chance: Random) -> bytes:
    place = chance.choice((0, chance.randrange(len(data) + 1)))
    return data[:place] + chance.choice(ENTITIES) + data[place:]


def recode(data: bytes, chance: Random) -> bytes:
    """Write it in another encoding, whatever it declares."""
    text = data.decode("utf-8", "replace")
    return text.encode(
        chance.choice(("latin-1", "utf-16", "utf-16-le", "utf-8-sig", "cp037", "utf-7")), "ignore"
    )


MARKUP: tuple[Damage, ...] = (
    *(delete_tag, copy_tag, delete_element, double_element, nest_element, move_element, rename_element),
    *(change_attribute, put_entity, put_entity, put_character, delete, double),
)


def damaged(data: bytes, chance: Random, ways: Sequence[Damage], others: Sequence[bytes] = ()) -> bytes:
    """Damage data in one place or several.

    Args:
        data: What is good.
        chance: Decides.
        ways: The kinds of damage.
        others: Data of the same kind; now and then a stretch of one of them gets in.
    """
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        if others and chance.random() < 0.1:
            other = chance.choice(others)
            start, end = _span(other, chance, 2000)
            place = chance.randrange(len(data) + 1)
            data = data[:place] + other[start:end] + data[place:]
        data = chance.choice(ways)(data, chance)[:LARGEST]
    return data
