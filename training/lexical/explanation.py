"""What a lexical score consists of: features that two texts share, and pairs of associated features."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import torch

from .features import GROUPS, Token, look_up, occurrences
from .lexical_matcher import DENSE, SIDES, SPARSE, LexicalMatcher
from .vocabulary import FeatureReader, count_features

SHARED, ASSOCIATED = "shared", "associated"

# Placeholders for variables, in features that do not see their names: `f : X → Y` is `□ : △ → ○`.
_PLACEHOLDERS = "□△○◇☆"


@dataclass(frozen=True, slots=True)
class NamedFeature:
    """A feature of a text, in readable form.

    Attributes:
        group: The group of the feature.
        surface: How it looks where it first occurs.
        spans: Where it occurs: the position of its first token, and the position after its last one.
    """

    group: str
    surface: str
    spans: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Reason:
    """A feature of a statement and a feature of a proof, and what they add to the score.

    Attributes:
        kind: `shared` if it is the same feature, which contributes by itself, or `associated` if the matcher
            has learned how well the two go together; a feature can be associated with itself.
        contribution: What they add to the score; a negative one is evidence against the match.
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
        reasons: Strongest first.
    """

    shared: float
    associated: float
    reasons: list[Reason]


def explain_by_features(
    matcher: LexicalMatcher,
    statement: Sequence[str],
    proof: Sequence[str],
    top: int | None = None,
    reader: FeatureReader | None = None,
) -> LexicalReasons:
    """Split a score into its parts, without the hubness correction.

    Args:
        matcher: The matcher.
        statement: Typed tokens.
        proof: Typed tokens.
        top: Number of reasons of each kind; None for all.
        reader: The reader of the texts; None for the matcher's, which does not know the candidates.
    """
    config = matcher.config
    reader = reader or FeatureReader(matcher.vocabulary, tuple(config.groups), config.input)
    left, right = (_features(matcher, reader, *side) for side in ((statement, "statement"), (proof, "proof")))
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


@dataclass(frozen=True, slots=True)
class _Features:
    """The features of one text, with their values.

    Attributes:
        names: Their names, by hash.
        hashes: The hashes of all features, (features).
        numbers: Their numbers from the vocabulary, (features).
        values: The text's sparse vector, (features).
        row_hashes: The hashes of the features with rows in the table, (rows).
        rows: What each of these adds to the text's dense vector, (rows, rank).
    """

    names: dict[int, NamedFeature]
    hashes: np.ndarray
    numbers: np.ndarray
    values: np.ndarray
    row_hashes: np.ndarray
    rows: np.ndarray


def _features(matcher: LexicalMatcher, reader: FeatureReader, tokens: Sequence[str], side: str) -> _Features:
    config = matcher.config
    column = pa.array([list(tokens)], pa.list_(pa.string()))
    hashes = count_features(column, config.groups, config.input).values["feature"]
    entries = reader.read(column).values
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
            # The dense vector is their sum, normalized; it may be zero.
            rows /= max(float(np.linalg.norm(rows.sum(axis=0))), np.finfo(np.float32).tiny)
    names = feature_names(tokens, config.groups, config.input)
    return _Features(names, hashes, entries["feature"], values, hashes[known[has_row]][: len(rows)], rows)


def _strongest(contributions: np.ndarray, top: int | None) -> Iterator[int]:
    if top is not None and top < len(contributions):
        # Partition first: there may be a million pairs.
        best = np.argpartition(-contributions, top)[:top]
        yield from best[np.argsort(-contributions[best], kind="stable")].tolist()
    else:
        yield from np.argsort(-contributions, kind="stable").tolist()


def feature_names(
    tokens: Sequence[str], groups: Sequence[str] = GROUPS, input: str = "both"
) -> dict[int, NamedFeature]:
    """Name all features of one text, by their hashes as in bags.

    Args:
        tokens: Typed tokens.
        groups: The groups of features to name.
        input: Which tokens to keep: `both`, `text` or `math`.
    """
    named: dict[int, NamedFeature] = {}
    looked_up = [look_up(token) for token in tokens]
    for group, found in occurrences(pa.array([tokens], pa.list_(pa.string())), groups, input).items():
        order = np.lexsort((found.ends, found.begins))
        hashes = found.hashes.view(np.int64)[order].tolist()
        spans = zip(found.begins[order].tolist(), found.ends[order].tolist(), strict=True)
        # A compound word is followed by its parts, in order, with the same span.
        previous, part = None, 0
        for feature, span in zip(hashes, spans, strict=True):
            part = part + 1 if span == previous else 0
            previous = span
            if feature not in named:
                named[feature] = NamedFeature(group, _surface(group, looked_up[slice(*span)], part), [])
            if span not in named[feature].spans[-1:]:
                named[feature].spans.append(span)
    return named


def _surface(group: str, tokens: list[Token], part: int) -> str:
    if group == "stem" and part:
        return tokens[0].parts[part - 1]
    if group.startswith("shape"):
        variables = list(dict.fromkeys(token.surface for token in tokens if token.sort))
        signs = dict(zip(variables, _PLACEHOLDERS, strict=False))
        return " ".join(signs[token.surface] if token.sort else token.surface for token in tokens)
    if group.startswith("math"):
        tokens = [token for token in tokens if token.is_math]
    elif group == "stem-2":
        tokens = [tokens[0], tokens[-1]]
    return " ".join(token.surface for token in tokens)
