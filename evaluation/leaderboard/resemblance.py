"""Results that resemble each other: the same or a similar name, or the same predictions."""

import unicodedata
from collections.abc import Hashable, Iterable, Iterator
from functools import cache

from proofmatch.errors import quoted

from .results import Entry, board_of, split_of

_NAMED = 2  # similar systems that a remark names
_LEFT_TO_RIGHT = "\u200e"  # a mark in the data around letters that are read from right to left
_COMPARED = 100  # results of a group, because time grows quadratically


def find_resemblances(entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
    """Describe which results of other systems each result resembles, by the names of the result files.

    The remarks do not tell who came first. Results with the same name belong to one system if they are in one
    folder or on different boards. Remarks on checked results do not mention unchecked ones.
    """
    entries = sorted(entries, key=lambda one: not one.is_checked)
    remarks: dict[str, list[str]] = {}
    pointed_out: set[tuple[str, str]] = set()
    for words, groups in (
        ("the same predictions as", _groups((_predictions_of(one), one) for one in entries)),
        ("the same first choices as", _groups((_choices_of(one), one) for one in entries)),
        ("the same name as", _groups(((board_of(one), one.system["name"]), one) for one in entries)),
        ("a name that differs in case or punctuation from", _groups(_by_letters(entries))),
        ("a name that looks like", _groups(_by_shape(entries))),
    ):
        for group in groups:
            for one in group:
                others = [
                    other
                    for other in group[:_COMPARED]
                    if (other.is_checked or not one.is_checked)
                    and not _is_same_system(one, other)
                    and (one.name, other.name) not in pointed_out
                ]
                pointed_out.update((one.name, other.name) for other in others)
                if others:
                    remarks.setdefault(one.name, []).append(f"has {words} {_list_of(others)}")
    return {name: tuple(words) for name, words in remarks.items()}


def skeleton(name: str) -> str:
    """Replace each character with the one that represents all characters that look like it.

    Two names look alike if they have the same skeleton, which is not for display. See Unicode Technical
    Standard 39, section 4.
    """
    composed = unicodedata.normalize("NFD", "".join(map(_prototype, unicodedata.normalize("NFD", name))))
    return "".join(filter(str.isalnum, composed))


@cache
def _prototype(character: str) -> str:
    from confusable_homoglyphs.confusables import confusables_data  # a megabyte of JSON

    def lookalikes(text: str) -> set[str]:
        return {one["c"].strip(_LEFT_TO_RIGHT) for one in confusables_data.get(text, ())}

    # The data have a star for each group: its center names all others, and they name the center.
    group = {character, *lookalikes(character)}
    group = group.union(*map(lookalikes, group))
    letters = {text for text in group if text.isalnum()} or {character}
    longest = max(map(len, letters))  # m looks like rn
    chosen = min(text for text in letters if len(text) == longest)
    return chosen if longest == 1 else "".join(map(_prototype, chosen))


def _by_letters(entries: Iterable[Entry]) -> Iterator[tuple[str, Entry]]:
    for entry in entries:
        yield "".join(filter(str.isalnum, entry.system["name"].casefold())), entry


def _by_shape(entries: Iterable[Entry]) -> Iterator[tuple[str, Entry]]:
    for entry in entries:
        yield skeleton(entry.system["name"]), entry


def _predictions_of(entry: Entry) -> Hashable:
    return split_of(entry), entry.content["predictions_sha256"]


def _choices_of(entry: Entry) -> Hashable:
    """Identify the first choices; None for a perfect system, because its choices are simply the gold."""
    if entry.first_choices is None or entry.content["scores"]["accuracy"] == 1:
        return None
    return split_of(entry), entry.first_choices


def _groups(keyed: Iterable[tuple[Hashable, Entry]]) -> list[list[Entry]]:
    """Group entries with equal keys; None is equal to nothing."""
    groups: dict[Hashable, list[Entry]] = {}
    for key, entry in keyed:
        if key is not None:
            groups.setdefault(key, []).append(entry)
    return [group for group in groups.values() if len(group) > 1]


def _is_same_system(one: Entry, other: Entry) -> bool:
    """Tell whether two results have the same name, and are in one folder or on different boards."""
    has_same_name = one.system["name"] == other.system["name"]
    return has_same_name and (one.folder == other.folder or board_of(one) != board_of(other))


def _list_of(others: list[Entry]) -> str:
    """Name the systems of results, each with one of its files."""
    systems = {(other.folder, other.system["name"]): other for other in reversed(others)}
    named = [f"“{quoted(name)}” ({quoted(other.name)})" for (_, name), other in reversed(systems.items())]
    left = len(named) - _NAMED
    return ", ".join(named[:_NAMED]) + (f" and {left:,} more" if left > 0 else "")
