"""The wrong matches of a report: as many as there is room for, with their texts."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa

from proofmatch.progress import Progress

from ...builder.release.schema import config_name
from ..metrics import NO_RANK, UNKNOWN
from ..pages.texts import Pieces, plain_text, shown_text
from ..task import Task
from .cases import Cases
from .packing import TextStore, packed

# What letters of the list take up once they are packed, at least. Measured: 0.26 to 0.28.
_PACKED = 0.2


@dataclass(frozen=True, slots=True)
class WrongMatches:
    """The wrong matches that a page shows.

    Attributes:
        listed: How many are shown.
        total: How many there are.
        index: The list, packed.
        texts: The texts, packed in pieces.
        texts_in_piece: How many texts a piece has.
        categories: Those of all wrong matches that are listed, by their number in the list.
    """

    listed: int
    total: int
    index: str
    texts: list[str]
    texts_in_piece: int
    categories: list[str]


@dataclass(frozen=True, slots=True)
class Collection:
    """Wrong matches and their texts, of which a page has as many of the first as it has room for.

    Attributes:
        total: How many there are, collected or not.
        entries: Those that are collected.
        store: Their texts.
        n_texts: How many texts all entries up to each one need.
    """

    total: int
    entries: list[dict[str, Any]]
    store: TextStore
    n_texts: list[int]

    def first(self, listed: int) -> WrongMatches:
        """Pack so many of them."""
        entries = self.entries[:listed]
        # A column for each field: half as large as an object for each match.
        columns = {name: [entry[name] for entry in entries] for name in (entries[0] if entries else ())}
        return WrongMatches(
            listed,
            self.total,
            packed(columns),
            self.store.pieces(self.n_texts[listed - 1] if listed else 0),
            self.store.texts_in_piece,
            sorted({entry["category"] for entry in entries}),
        )


def collect_wrong(task: Task, cases: Cases, room: int, progress: Progress | None = None) -> Collection:
    """Collect wrong matches and their texts, until they are at least about as large as the page may be.

    Where there is no room for all, chance decides which are shown, so that they are like those that are not.

    Args:
        task: What the predictions are for.
        cases: What they say.
        room: How many bytes the page may have.
        progress: Counts the matches.
    """
    wrong = np.flatnonzero(cases.judgement.ranks != 1).tolist()
    source, store = _Source(task), TextStore()
    collection = Collection(len(wrong), [], store, [])
    taken = 0.0
    for number in sorted(wrong, key=lambda number: _chance(task.statement_ids[number])):
        if store.size + taken > room:
            break
        entry = _entry(number, task, cases, source, store)
        taken += _PACKED * len(str(entry).encode())
        collection.entries.append(entry)
        collection.n_texts.append(len(store))
        if progress is not None:
            progress.summary = f"{store.size / 1e6:.1f} MB"
            progress.advance()
    return collection


class _Source:
    """The texts of a task, and where they are from."""

    def __init__(self, task: Task) -> None:
        self._texts = {
            side: task.release.table(config_name(f"{side}s", task.by_article), task.split, ["text", "tokens"])
            for side in ("statement", "proof")
        }
        pairs = task.release.table(task.config, task.split, ["statement_id", "title", "kind", "article_id"])
        place = {name: at for at, name in enumerate(pairs["statement_id"].to_pylist())}
        self._pairs = pairs.take(pa.array([place[name] for name in task.statement_ids]))
        self.statement_of = np.full(len(task.proof_ids), -1, dtype=np.int64)
        self.statement_of[task.gold] = np.arange(len(task.gold))

    def pieces(self, side: str, number: int) -> Pieces:
        table = self._texts[side]
        return shown_text(table["text"][number].as_py(), table["tokens"][number].as_py())

    def origin(self, statement: int) -> dict[str, str | None]:
        return {name: self._pairs[name][statement].as_py() for name in ("title", "kind", "article_id")}

    def are_equal(self, proof: int, other: int) -> bool:
        tokens = self._texts["proof"]["tokens"]
        return tokens[proof] == tokens[other]


def _entry(number: int, task: Task, cases: Cases, source: _Source, store: TextStore) -> dict[str, Any]:
    gold, rival = int(task.gold[number]), int(cases.rivals[number])
    proves = int(source.statement_of[rival])
    sides = [("statement", number), ("proof", gold), ("proof", rival)]
    if proves >= 0:  # a release may have more proofs than statements
        sides.append(("statement", proves))
    plain = ""
    for side, at in sides:
        name = f"{side} {at}"
        is_new = name not in store
        if is_new or not plain:
            pieces = source.pieces(side, at)
            plain = plain or plain_text(pieces)
            if is_new:
                store.add(name, pieces)
    rank, margin = int(cases.judgement.ranks[number]), float(cases.margins[number])
    origin, theirs = source.origin(number), source.origin(proves) if proves >= 0 else {}
    return {
        "id": task.statement_ids[number],
        "proofs": [task.proof_ids[gold], task.proof_ids[rival]],
        "rank": None if rank == NO_RANK else rank,
        "margin": float(f"{margin:.4g}") if np.isfinite(margin) else None,
        "category": task.categories[number] or UNKNOWN,
        "kind": origin["kind"],
        "title": origin["title"] or origin["article_id"],
        "article": origin["article_id"],
        "rival_title": (theirs.get("title") or theirs.get("article_id")),
        "rival_kind": theirs.get("kind"),
        "mended": bool(cases.one_to_one is not None and cases.one_to_one[number] == gold),
        "same": source.are_equal(gold, rival),
        "texts": [store.number(f"{side} {at}") for side, at in sides],
        "plain": plain,
    }


def _chance(statement_id: str) -> bytes:
    return sha256(statement_id.encode()).digest()
