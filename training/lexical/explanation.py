"""What a lexical score is made of: features that two texts share, and pairs of features that go together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch

from .bags import count_features
from .matcher import DENSE, SIDES, SPARSE, LexicalMatcher
from .naming import NamedFeature, feature_names

SHARED, ASSOCIATED = "shared", "associated"


@dataclass(frozen=True, slots=True)
class Reason:
    """A feature of a statement and a feature of a proof, and what they add to the score.

    Attributes:
        kind: `shared` if it is the same feature, which counts by itself, or `associated` if the matcher has
            learned how well the two go together; a feature can go together with itself.
        contribution: What they add to the score; below zero, they speak against the match.
        statement: The feature of the statement.
        proof: The feature of the proof.
    """

    kind: str
    contribution: float
    statement: NamedFeature
    proof: NamedFeature


@dataclass(frozen=True, slots=True)
class LexicalReasons:
    """A lexical score and its reasons.

    Attributes:
        shared: The sparse part of the score: the sum over all shared features.
        associated: The low-rank part: the sum over all pairs of features.
        reasons: The strongest ones first.
    """

    shared: float
    associated: float
    reasons: list[Reason]


@dataclass(frozen=True, slots=True)
class _Features:
    """The features of one text, and what the matcher makes of them.

    Attributes:
        names: By their hashes.
        hashes: Of all features, (features).
        numbers: What tells them apart in a vocabulary, (features).
        values: The text's sparse vector, (features).
        row_hashes: Of the features that have rows in the table, (rows).
        rows: What each of these adds to the text's dense vector, (rows, rank).
    """

    names: dict[int, NamedFeature]
    hashes: np.ndarray
    numbers: np.ndarray
    values: np.ndarray
    row_hashes: np.ndarray
    rows: np.ndarray


def explain_by_features(
    matcher: LexicalMatcher, statement: Sequence[str], proof: Sequence[str], top: int | None = None
) -> LexicalReasons:
    """Take a score apart, without what is taken from it for a hub.

    Args:
        matcher: Gives the score.
        statement: Typed tokens.
        proof: Typed tokens.
        top: How many reasons of each kind are wanted; None for all of them.
    """
    left, right = _features(matcher, statement, "statement"), _features(matcher, proof, "proof")
    scales = matcher.scales.detach().exp().cpu().double().numpy()
    reasons: list[Reason] = []
    shared = 0.0
    if matcher.config.has_sparse_part:
        _, ours, theirs = np.intersect1d(left.numbers, right.numbers, True, return_indices=True)
        contributions = scales[SPARSE] * left.values[ours] * right.values[theirs]
        shared = float(contributions.sum())
        for place in _strongest(contributions, top):
            names = left.names[int(left.hashes[ours[place]])], right.names[int(right.hashes[theirs[place]])]
            reasons.append(Reason(SHARED, float(contributions[place]), *names))
    pairs = scales[DENSE] * (left.rows @ right.rows.T)  # (rows of the statement, rows of the proof)
    for place in _strongest(pairs.ravel(), top):
        ours, theirs = np.unravel_index(place, pairs.shape)
        names = left.names[int(left.row_hashes[ours])], right.names[int(right.row_hashes[theirs])]
        reasons.append(Reason(ASSOCIATED, float(pairs[ours, theirs]), *names))
    reasons.sort(key=lambda reason: -reason.contribution)
    return LexicalReasons(shared, float(pairs.sum()), reasons)


def _features(matcher: LexicalMatcher, tokens: Sequence[str], side: str) -> _Features:
    config = matcher.config
    counted = count_features(pa.array([list(tokens)], pa.list_(pa.string())), config.groups, config.input)
    hashes, entries = counted.values["feature"], matcher.vocabulary.look_up(counted).values
    with torch.inference_mode():
        values = matcher.encode([entries], side).sparse.values.cpu().double().numpy()
        known = np.flatnonzero(entries["feature"] >= 0)
        places = matcher.row_places.cpu()[torch.from_numpy(entries["feature"][known])]
        has_row = places.numpy() > 0
        rows = np.zeros((0, 1))
        if config.rank:
            places = places[torch.from_numpy(has_row)].long().to(matcher.scales.device)
            weights = matcher.values(DENSE, side, entries[known[has_row]], places)
            rows = (weights[:, None] * matcher.tables[SIDES[side]][places]).cpu().double().numpy()
            # The dense vector, their sum, is brought to length 1; without any feature there is none.
            rows /= max(float(np.linalg.norm(rows.sum(axis=0))), np.finfo(np.float32).tiny)
    names = feature_names(tokens, config.groups, config.input)
    return _Features(names, hashes, entries["feature"], values, hashes[known[has_row]][: len(rows)], rows)


def _strongest(contributions: np.ndarray, top: int | None) -> Iterator[int]:
    if top is not None and top < len(contributions):
        # There may be a million pairs, of which few are wanted.
        chosen = np.argpartition(-contributions, top)[:top]
        yield from chosen[np.argsort(-contributions[chosen], kind="stable")].tolist()
    else:
        yield from np.argsort(-contributions, kind="stable").tolist()
