"""Predictions → the wrong matches of a report: as many as the page has room for, with their texts."""

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from proofmatch.progress import Progress

from ...builder.release.schema import config_name
from ..decoding.candidates import Candidates
from ..decoding.matching import fill_unmatched, match_candidates
from ..evaluator import Ranking, rank_predictions
from ..metrics import NO_RANK, UNKNOWN
from ..pages.texts import Pieces, plain_text, shown_text
from ..predictions import read_predictions, read_whole
from ..task import Task

NOTHING_TO_MATCH = "the file lists one proof for each statement, so there is nothing to choose from"
NO_SCORES = "the file has no scores, which a one-to-one matching needs"

# What one-to-one matching does with a match: a wrong first choice, fixed or not, or a right one, broken.
FIXED, WRONG, BROKEN = "fixed", "wrong", "broken"

# A lower bound on the compression ratio of the list. Measured: 0.26 to 0.28.
_PACKED = 0.2
# Larger chunks compress better, and take the browser longer to open.
TEXTS_IN_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Cases:
    """What a prediction file says about each statement of a task, in the task's order.

    Attributes:
        ranking: Ranks of the gold proofs, and first choices.
        rivals: Number of the proof ranked above the gold one: the first choice or, if that is the gold proof,
            the proof that ties with it, (statements).
        margins: Score of the rival minus score of the gold proof, NaN where either is unknown, (statements).
        one_to_one: Proof of each statement in the one-to-one matching of the listed candidates, (statements);
            None if there is no matching.
        why_not: Why there is no matching.
        predictions_sha256: The hash of the prediction file.
    """

    ranking: Ranking
    rivals: np.ndarray
    margins: np.ndarray
    one_to_one: np.ndarray | None
    why_not: str | None
    predictions_sha256: str


def read_cases(predictions: Path, task: Task, progress: Progress | None = None) -> Cases:
    """Read a prediction file, and match its candidates one-to-one.

    Raises:
        ProofmatchError: If the file has any fault.
    """
    reader = read_predictions(predictions, task, progress)
    batches = read_whole(reader)
    ranking = rank_predictions(batches, task.required_gold)
    n = len(task.statement_ids)
    rivals, margins = np.zeros(n, dtype=np.int64), np.full(n, np.nan)
    for batch in batches:
        rows, gold = batch.statements, task.required_gold[batch.statements]
        # A first choice that is the gold proof, and not of rank 1, is followed by one with an equal score.
        is_tied = (ranking.first_choices[rows] == gold) & (ranking.ranks[rows] != 1)
        at = batch.proofs.starts[:-1] + is_tied
        rivals[rows] = batch.proofs.values[at]
        if batch.scores is not None:
            of = batch.proofs.rows
            listed = np.flatnonzero(batch.proofs.values == gold[of])
            with np.errstate(over="ignore"):  # between scores near the largest double
                margins[rows[of[listed]]] = batch.scores[at[of[listed]]] - batch.scores[listed]
    scores = [batch.scores for batch in batches if batch.scores is not None]
    if len(scores) < len(batches):
        return Cases(ranking, rivals, margins, None, NO_SCORES, reader.sha256)
    if all(len(batch.proofs.values) == len(batch) for batch in batches):
        return Cases(ranking, rivals, margins, None, NOTHING_TO_MATCH, reader.sha256)
    candidates = Candidates.from_rows(
        np.concatenate([np.repeat(batch.statements, batch.proofs.lengths) for batch in batches]),
        np.concatenate([batch.proofs.values for batch in batches]),
        np.concatenate(scores),
        (n, len(task.proof_ids)),
    )
    one_to_one = fill_unmatched(match_candidates(candidates).columns, candidates)
    return Cases(ranking, rivals, margins, one_to_one, None, reader.sha256)


def packed(data: Any) -> str:  # noqa: ANN401 - any JSON value
    """Compress data and encode them as text, which the browser unpacks when it is needed."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(), 9)).decode()


def unpacked(letters: str) -> Any:  # noqa: ANN401 - any JSON value
    """Decode what `packed` has encoded."""
    return json.loads(zlib.decompress(b64decode(letters)))


class TextStore:
    """Texts without repetition, in packed chunks.

    Attributes:
        size: The size of the complete chunks.
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
        """Add a text that is not in the store yet."""
        self._numbers[name] = len(self._numbers)
        self._open.append(pieces)
        if len(self._open) == TEXTS_IN_CHUNK:
            self._finished.append(packed(self._open))
            self.size += len(self._finished[-1])
            self._open = []

    def number(self, name: str) -> int:
        """Return the number of a text."""
        return self._numbers[name]

    def chunks(self, n_texts: int) -> list[str]:
        """Pack the first texts."""
        whole, rest = divmod(n_texts, TEXTS_IN_CHUNK)
        chunks = self._finished[:whole]
        if rest:
            last = self._open if whole == len(self._finished) else unpacked(self._finished[whole])
            chunks.append(packed(last[:rest]))
        return chunks


@dataclass(frozen=True, slots=True)
class WrongMatches:
    """The wrong matches that a page shows, and the right ones that one-to-one matching breaks.

    Attributes:
        listed: How many wrong matches are shown.
        total: How many there are.
        broken: How many broken ones are shown.
        broken_total: How many there are.
        index: The list, packed.
        texts: The texts, packed in chunks.
        texts_in_chunk: The number of texts in a chunk.
        categories: The categories of the matches that are shown.
    """

    listed: int
    total: int
    broken: int
    broken_total: int
    index: str
    texts: list[str]
    texts_in_chunk: int
    categories: list[str]


@dataclass(frozen=True, slots=True)
class Collection:
    """Matches to look at and their texts; a page shows as many of the first ones as it has room for.

    Attributes:
        total: The number of wrong matches, collected or not.
        broken_total: The number of right ones that one-to-one matching breaks.
        entries: The matches that were collected.
        store: Their texts.
        n_texts: The number of texts that the entries up to each one need.
    """

    total: int
    broken_total: int
    entries: list[dict[str, Any]]
    store: TextStore
    n_texts: list[int]

    def first(self, listed: int) -> WrongMatches:
        """Pack the first matches."""
        entries = self.entries[:listed]
        # Columns are half as large as an object for each match.
        columns = {name: [entry[name] for entry in entries] for name in (entries[0] if entries else ())}
        broken = sum(entry["outcome"] == BROKEN for entry in entries)
        return WrongMatches(
            listed - broken,
            self.total,
            broken,
            self.broken_total,
            packed(columns),
            self.store.chunks(self.n_texts[listed - 1] if listed else 0),
            TEXTS_IN_CHUNK,
            sorted({entry["category"] for entry in entries}),
        )


def broken_matches(task: Task, cases: Cases) -> np.ndarray:
    """Find the right first choices that the one-to-one matching replaces; their number is known at once."""
    if cases.one_to_one is None:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero((cases.ranking.ranks == 1) & (cases.one_to_one != task.required_gold))


def collect_wrong(
    task: Task,
    cases: Cases,
    room: int,
    progress: Progress | None = None,
    classes: np.ndarray | None = None,
) -> Collection:
    """Collect wrong and broken matches with their texts, until they are about as large as the page may be.

    If there is not enough room for all, a random sample is shown, which is representative.

    Args:
        task: The task of the predictions.
        cases: The predictions.
        room: The largest size of the page in bytes.
        progress: Counts the matches.
        classes: Classes that statements can be filtered by, (statements, kinds of classes).
    """
    wrong, broken = np.flatnonzero(cases.ranking.ranks != 1), broken_matches(task, cases)
    shown = np.concatenate([wrong, broken]).tolist()
    source, store = _Source(task), TextStore()
    times_chosen = np.bincount(cases.ranking.first_choices, minlength=len(task.proof_ids))
    collection = Collection(len(wrong), len(broken), [], store, [])
    taken = 0.0
    for number in sorted(shown, key=lambda number: _random_key(task.statement_ids[number])):
        if store.size + taken > room:
            break
        entry = _entry(number, task, cases, source, store)
        entry["chosen"] = int(times_chosen[cases.ranking.first_choices[number]])
        entry["classes"] = [] if classes is None else classes[number].tolist()
        taken += _PACKED * len(str(entry).encode())
        collection.entries.append(entry)
        collection.n_texts.append(len(store))
        if progress is not None:
            progress.summary = f"{store.size / 1e6:.1f} MB"
            progress.advance()
    return collection


class _Source:
    """The texts of a task, and the articles they are from."""

    def __init__(self, task: Task) -> None:
        self._texts = {
            side: task.release.table(config_name(f"{side}s", task.by_article), task.split, ["text", "tokens"])
            for side in ("statement", "proof")
        }
        self._pairs = self._read_pairs(task)
        self.statement_of = np.full(len(task.proof_ids), -1, dtype=np.int64)
        self.statement_of[task.required_gold] = np.arange(len(task.statement_ids))

    @staticmethod
    def _read_pairs(task: Task) -> pa.Table:
        """Read what is known about each statement's article, which is nothing for sealed pairs."""
        columns = ["title", "kind", "article_id", "source"]
        if task.release.is_sealed(task.split, task.by_article):
            nothing = pa.nulls(len(task.statement_ids), pa.string())
            return pa.table([nothing] * len(columns), columns)
        known = [name for name in columns if name != "source" or task.release.provenance]
        pairs = task.release.table(task.config, task.split, ["statement_id", *known])
        if "source" not in known:
            pairs = pairs.append_column("source", pa.nulls(len(pairs), pa.string()))
        place = {name: at for at, name in enumerate(pairs["statement_id"].to_pylist())}
        return pairs.take(pa.array([place[name] for name in task.statement_ids]))

    def pieces(self, side: str, number: int) -> Pieces:
        table = self._texts[side]
        return shown_text(table["text"][number].as_py(), table["tokens"][number].as_py())

    def origin(self, statement: int) -> dict[str, str | None]:
        return {
            name: self._pairs[name][statement].as_py() for name in ("title", "kind", "article_id", "source")
        }

    def are_equal(self, proof: int, other: int) -> bool:
        tokens = self._texts["proof"]["tokens"]
        return tokens[proof] == tokens[other]


def _entry(number: int, task: Task, cases: Cases, source: _Source, store: TextStore) -> dict[str, Any]:
    gold, outcome = int(task.required_gold[number]), _outcome(number, task, cases)
    is_broken = outcome == BROKEN and cases.one_to_one is not None
    rival = int(cases.one_to_one[number] if is_broken else cases.rivals[number])  # pyright: ignore
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
    rank, margin = int(cases.ranking.ranks[number]), float(np.nan if is_broken else cases.margins[number])
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
        "source": origin["source"],
        "rival_title": (theirs.get("title") or theirs.get("article_id")),
        "rival_kind": theirs.get("kind"),
        "rival_source": theirs.get("source"),
        "outcome": outcome,
        "same": source.are_equal(gold, rival),
        "texts": [store.number(f"{side} {at}") for side, at in sides],
        "plain": plain,
    }


def _outcome(number: int, task: Task, cases: Cases) -> str | None:
    """Say what one-to-one matching does with a match; None without a matching."""
    if cases.one_to_one is None:
        return None
    if cases.ranking.ranks[number] == 1:
        return BROKEN
    return FIXED if cases.one_to_one[number] == task.required_gold[number] else WRONG


def _random_key(statement_id: str) -> bytes:
    return sha256(statement_id.encode()).digest()
