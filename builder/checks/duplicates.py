"""Duplicates and near duplicates: counted everywhere, a fault where too many held-out pairs have a twin."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..release.schema import SPLITS, TRAIN
from .evidence import Evidence
from .hashing import hash_together
from .near_duplicates import RECALL, SIMILAR, NearPairs, find_near_duplicates
from .remarks import EXAMPLES, Fault, Finding, Remark
from .shingles import SHINGLE
from .tables import FAMILIES, SIDES


@dataclass(frozen=True, slots=True)
class _Rows:
    """The pairs of a family: the split of each, as a bit, and the numbers of its texts."""

    config: str
    bits: np.ndarray
    texts: dict[str, np.ndarray]
    ids: dict[str, list[str]]

    @property
    def held_out(self) -> np.ndarray:
        return self.bits != 1 << TRAIN

    def split(self, row: int) -> str:
        return SPLITS[int(self.bits[row]).bit_length() - 1]

    def masks(self, groups: np.ndarray, total: int) -> np.ndarray:
        """Tell in which splits each group of rows occurs."""
        masks = np.zeros(total, np.uint8)
        np.bitwise_or.at(masks, groups, self.bits)
        return masks


def check_duplicates(evidence: Evidence) -> Iterator[Remark]:
    """Search for texts that are the same, or nearly."""
    families = []
    for suffix in FAMILIES:
        yield from evidence.lacking(f"pairs{suffix}")
        if evidence.has(f"pairs{suffix}"):
            families.append(_rows(evidence, f"pairs{suffix}"))
    if not families:
        return
    near = {
        side: find_near_duplicates(
            evidence.texts[side],
            evidence.vocabulary.hashes,
            lambda: evidence.tick("search for near duplicates"),
        )
        for side in SIDES
    }
    yield Finding(
        f"nearly the same: {SHINGLE}-token shingles with a Jaccard similarity of {SIMILAR} or more; "
        f"of pairs just that similar {RECALL:.1%} are found, of more similar ones more"
    )
    for rows in families:
        for side in SIDES:
            yield _exact(evidence, rows, f"{side}s", rows.texts[side], side)
        yield _leaked(evidence, rows)
        for side in SIDES:
            yield _near(evidence, rows, side, near[side])


def _rows(evidence: Evidence, config: str) -> _Rows:
    texts = {
        side: evidence.texts[side].numbers_of(evidence.hashes(config, f"{side}_tokens")) for side in SIDES
    }
    ids = {f"{side}s": evidence.ids(config, f"{side}_id").to_pylist() for side in SIDES}
    ids["pairs"] = evidence.ids(config, "id").to_pylist()
    return _Rows(config, np.uint8(1) << evidence.split_numbers(config).astype(np.uint8), texts, ids)


def _exact(evidence: Evidence, rows: _Rows, what: str, groups: np.ndarray, side: str) -> Finding:
    """Count the rows that repeat a text, within their split and across splits."""
    masks = rows.masks(groups, int(groups.max(initial=-1)) + 1)
    repeats = []
    for split in range(len(SPLITS)):
        in_split = groups[rows.bits == 1 << split]
        repeats.append(len(in_split) - len(np.unique(in_split)))
    across = np.flatnonzero(rows.held_out & ((masks[groups] & ~rows.bits) != 0))
    examples = []
    for row in across[:EXAMPLES].tolist():
        twin = np.flatnonzero((groups == groups[row]) & (rows.bits != rows.bits[row]))[0]
        examples.append(_example(evidence, rows, what, row, int(twin), side))
    return Finding(
        f"{rows.config}: {what} that repeat one of their split: {_by_split(repeats)}; "
        f"held-out {what} also in another split: {_share(len(across), rows)}",
        tuple(examples),
        len(across),
    )


def _leaked(evidence: Evidence, rows: _Rows) -> Remark:
    """Judge the held-out pairs of which both texts are in another split too."""
    both = hash_together(*(rows.texts[side].astype(np.uint64) for side in SIDES))
    found = _exact(evidence, rows, "pairs", np.unique(both, return_inverse=True)[1].reshape(-1), SIDES[0])
    if found.count <= evidence.max_leaked * rows.held_out.sum():
        return found
    limit = f"more than {evidence.max_leaked:.1%} of the held-out pairs are leaked"
    return Fault(f"{found.message}; {limit}", found.examples, found.count)


def _near(evidence: Evidence, rows: _Rows, side: str, near: NearPairs) -> Finding:
    """Count the rows that have a near duplicate, within their split and across splits."""
    texts, what = rows.texts[side], f"{side}s"
    masks = rows.masks(texts, len(evidence.texts[side]))
    neighbours = np.zeros_like(masks)
    np.bitwise_or.at(neighbours, near.first, masks[near.second])
    np.bitwise_or.at(neighbours, near.second, masks[near.first])
    of_row = neighbours[texts]
    within = [int(((of_row & rows.bits & 1 << split) != 0).sum()) for split in range(len(SPLITS))]
    across = int((rows.held_out & ((of_row & ~rows.bits) != 0)).sum())
    first, second = masks[near.first], masks[near.second]
    both = first | second
    crossing = np.flatnonzero((first != 0) & (second != 0) & ((both & (both - 1)) != 0))
    examples = []
    for pair in crossing[np.argsort(-near.similarity[crossing], kind="stable")][:EXAMPLES].tolist():
        ones, others = np.flatnonzero(texts == near.first[pair]), np.flatnonzero(texts == near.second[pair])
        row, twin = next((a, b) for a in ones for b in others if rows.bits[a] != rows.bits[b])
        example = _example(evidence, rows, what, int(row), int(twin), side)
        examples.append(f"{near.similarity[pair]:.3f} {example}")
    return Finding(
        f"{rows.config}: {what} nearly the same as one of their split: {_by_split(within)}; "
        f"held-out {what} nearly the same as one of another split: {_share(across, rows)}",
        tuple(examples),
        across,
    )


def _example(evidence: Evidence, rows: _Rows, what: str, row: int, twin: int, side: str) -> str:
    names = " and ".join(f"{rows.ids[what][place]} ({rows.split(place)})" for place in (row, twin))
    return f"{names}: {evidence.excerpt(side, int(rows.texts[side][row]))}"


def _by_split(counts: list[int]) -> str:
    return ", ".join(f"{split} {count:,}" for split, count in zip(SPLITS, counts, strict=True))


def _share(count: int, rows: _Rows) -> str:
    held_out = int(rows.held_out.sum())
    return f"{count:,} of {held_out:,} ({count / max(held_out, 1):.2%})"
