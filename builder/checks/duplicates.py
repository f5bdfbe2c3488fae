"""Exact and near duplicates within and across splits.

MinHash proposes near duplicates, and the exact Jaccard similarity decides. Sketches of 80 hash
functions are cut into 20 bands of 4, and texts that agree in a band are compared: a pair of similarity 0.8 is
found with probability 1 - (1 - 0.8⁴)²⁰ = 99.997 %.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from proofmatch.ragged import Ragged

from ..release.schema import SPLITS
from .evidence import FAMILIES, SIDES, Evidence
from .report import EXAMPLES, Fault, Note, Remark

SHINGLE = 5  # tokens; texts are as similar as their sets of shingles
SIMILAR = 0.8  # minimum Jaccard similarity of near duplicates

_BANDS, _BAND = 20, 4
RECALL = 1 - (1 - SIMILAR**_BAND) ** _BANDS  # of pairs with a similarity of `SIMILAR`
_SEED = 20_210  # fixed, so that reports are reproducible

# Only one in a hundred thousand pairs of similar texts has sketches that agree less than this.
_LEAST_ESTIMATE = 0.5

# A text with this many neighbours is reported but not indexed: otherwise thousands of texts that are nearly
# the same ("Proof. This is clear.") would all be compared with each other.
_MAX_NEIGHBOURS = 32

_TOKENS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class NearPairs:
    """Pairs of near duplicates: the numbers of the two texts, and how similar they are."""

    first: np.ndarray
    second: np.ndarray
    similarity: np.ndarray


def find_near_duplicates(texts: Ragged, tick: Callable[[], None] = lambda: None) -> NearPairs:
    """Find distinct texts, given as token numbers, whose shingles are nearly the same.

    A text shorter than a shingle has no near duplicates.
    """
    from rensa import RMinHash, RMinHashLSH  # pyright: ignore[reportAttributeAccessIssue] - untyped

    long_enough = np.flatnonzero(texts.lengths >= SHINGLE)
    index = RMinHashLSH(SIMILAR, _BANDS * _BAND, _BANDS)
    sketches, found = [], []
    for start, stop in _batches(texts.lengths[long_enough]):
        rows = texts.take(long_enough[start:stop])
        sketches += RMinHash.from_token_sets(map(_shingles, rows), _BANDS * _BAND, _SEED)
        for number in range(start, stop):
            sketch = sketches[number]
            candidates = index.query(sketch)
            neighbours = [one for one in candidates if sketch.jaccard(sketches[one]) >= _LEAST_ESTIMATE]
            found += [(one, number) for one in sorted(neighbours)[:_MAX_NEIGHBOURS]]
            if len(neighbours) < _MAX_NEIGHBOURS:
                index.insert(number, sketch)
        tick()
    # Consecutive texts mostly have the same neighbours, so the shingles of these are kept for a while.
    shingles_of = lru_cache(2 * _MAX_NEIGHBOURS)(lambda number: frozenset(_shingles(texts[number])))
    first, second = long_enough[np.array(found, np.int64).reshape(-1, 2)].T
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    similarity = np.array([_jaccard(shingles_of(one), shingles_of(other)) for one, other in pairs])
    near = np.flatnonzero(similarity >= SIMILAR)
    return NearPairs(first[near], second[near], similarity[near])


def _jaccard(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    """Compute the Jaccard similarity of two sets."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def _shingles(tokens: np.ndarray) -> list[bytes]:
    content, size = tokens.tobytes(), tokens.itemsize
    return [
        content[start : start + SHINGLE * size]
        for start in range(0, len(content) - (SHINGLE - 1) * size, size)
    ]


def _batches(lengths: np.ndarray) -> Iterator[tuple[int, int]]:
    """Cut a series of texts into batches of about a million tokens."""
    batch = np.cumsum(lengths) // _TOKENS_AT_ONCE
    yield from pairwise([0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(lengths)])


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs of a family: the split of each as a bit, its texts by number, and its ids."""

    config: str
    bits: np.ndarray
    texts: dict[str, np.ndarray]
    ids: dict[str, list[str]]

    @classmethod
    def of(cls, evidence: Evidence, config: str) -> "_Pairs":
        texts, ids = {}, {"pairs": evidence.ids(config, "id").to_pylist()}
        for side in SIDES:
            texts[side] = evidence.texts[side].numbers_of(evidence.hashes(config, f"{side}_tokens"))
            ids[f"{side}s"] = evidence.ids(config, f"{side}_id").to_pylist()
        return cls(config, evidence.split_bits(config), texts, ids)

    @property
    def held_out(self) -> np.ndarray:
        return self.bits != 1

    def splits_of(self, groups: np.ndarray, total: int) -> np.ndarray:
        """Tell in which splits each group of rows occurs, as bits."""
        splits = np.zeros(total, np.uint8)
        np.bitwise_or.at(splits, groups, self.bits)
        return splits

    def share(self, count: int) -> str:
        held_out = int(self.held_out.sum())
        return f"{count:,} of {held_out:,} ({count / max(held_out, 1):.2%})"


def check_duplicates(evidence: Evidence) -> Iterator[Remark]:
    """Count duplicates; too many held-out pairs that occur in another split are a fault."""
    families = []
    for suffix in FAMILIES:
        yield from evidence.unreadable(f"pairs{suffix}")
        if evidence.has(f"pairs{suffix}"):
            families.append(_Pairs.of(evidence, f"pairs{suffix}"))
    if not families:
        return

    def tick() -> None:
        evidence.tick("search for near duplicates")

    near = {side: find_near_duplicates(evidence.texts[side].tokens, tick) for side in SIDES}
    yield Note(
        f"near duplicates have a Jaccard similarity of {SIMILAR} or more between their {SHINGLE}-token "
        f"shingles; {RECALL:.3%} of the pairs at exactly {SIMILAR} are found, and more above it"
    )
    for pairs in families:
        found: list[Remark | None] = [
            *(_exact(evidence, pairs, f"{side}s", pairs.texts[side], side) for side in SIDES),
            _leaked(evidence, pairs),
            *(_near(evidence, pairs, side, near[side]) for side in SIDES),
        ]
        remarks = [remark for remark in found if remark is not None]
        yield from remarks or [
            Note(f"{pairs.config}: no statement, proof or pair repeats another, not even nearly")
        ]


def _exact(evidence: Evidence, pairs: _Pairs, what: str, groups: np.ndarray, side: str) -> Note | None:
    """Count the rows that repeat a text, within their split and across splits; None without any."""
    splits = pairs.splits_of(groups, int(groups.max(initial=-1)) + 1)
    repeats = []
    for number in range(len(SPLITS)):
        in_split = groups[pairs.bits == 1 << number]
        repeats.append(len(in_split) - len(np.unique(in_split)))
    across = np.flatnonzero(pairs.held_out & ((splits[groups] & ~pairs.bits) != 0))
    if not any(repeats) and not len(across):
        return None
    examples = []
    for row in across[:EXAMPLES].tolist():
        twin = np.flatnonzero((groups == groups[row]) & (pairs.bits != pairs.bits[row]))[0]
        examples.append(_example(evidence, pairs, what, row, int(twin), side))
    return Note(
        f"{pairs.config}: {what} that repeat one of their split: {_by_split(repeats)}; "
        f"held-out {what} also in another split: {pairs.share(len(across))}",
        tuple(examples),
        len(across),
    )


def _leaked(evidence: Evidence, pairs: _Pairs) -> Remark | None:
    """Judge the held-out pairs whose two texts both occur together in another split, if any."""
    statements, proofs = (pairs.texts[side] for side in SIDES)
    both = statements * (len(evidence.texts["proof"]) + 1) + proofs
    groups = np.unique(both, return_inverse=True)[1].reshape(-1)
    found = _exact(evidence, pairs, "pairs", groups, "statement")
    if found is None or found.count <= evidence.max_leaked * pairs.held_out.sum():
        return found
    limit = f"more than {evidence.max_leaked:.1%} of the held-out pairs are leaked"
    return Fault(f"{found.message}; {limit}", found.examples, found.count)


def _near(evidence: Evidence, pairs: _Pairs, side: str, near: NearPairs) -> Note | None:
    """Count the rows that have a near duplicate, within their split and across splits; None without any."""
    texts, what = pairs.texts[side], f"{side}s"
    splits = pairs.splits_of(texts, len(evidence.texts[side]))
    first, second = splits[near.first], splits[near.second]
    neighbours = np.zeros_like(splits)
    np.bitwise_or.at(neighbours, near.first, second)
    np.bitwise_or.at(neighbours, near.second, first)
    of_row = neighbours[texts]
    within = [int(((of_row & pairs.bits & 1 << number) != 0).sum()) for number in range(len(SPLITS))]
    across = int((pairs.held_out & ((of_row & ~pairs.bits) != 0)).sum())
    if not any(within) and not across:
        return None
    both = first | second
    crossing = np.flatnonzero((first != 0) & (second != 0) & ((both & (both - 1)) != 0))
    examples = []
    for pair in crossing[np.argsort(-near.similarity[crossing], kind="stable")][:EXAMPLES].tolist():
        ones, others = np.flatnonzero(texts == near.first[pair]), np.flatnonzero(texts == near.second[pair])
        row, twin = next((a, b) for a in ones for b in others if pairs.bits[a] != pairs.bits[b])
        example = _example(evidence, pairs, what, int(row), int(twin), side)
        examples.append(f"{near.similarity[pair]:.3f} {example}")
    return Note(
        f"{pairs.config}: {what} that nearly repeat one of their split: {_by_split(within)}; "
        f"held-out {what} that nearly repeat one of another split: {pairs.share(across)}",
        tuple(examples),
        across,
    )


def _example(evidence: Evidence, pairs: _Pairs, what: str, row: int, twin: int, side: str) -> str:
    names = (
        f"{pairs.ids[what][one]} ({SPLITS[int(pairs.bits[one]).bit_length() - 1]})" for one in (row, twin)
    )
    return f"{' and '.join(names)}: {evidence.excerpt(side, int(pairs.texts[side][row]))}"


def _by_split(counts: list[int]) -> str:
    return ", ".join(f"{split} {count:,}" for split, count in zip(SPLITS, counts, strict=True))
