"""Why a matcher with features gives a pair its score."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ..joint import JointReader
from ..lexical.explanation import ASSOCIATED, SHARED, Reason, explain_by_features
from ..lexical.lexical_matcher import LexicalMatcher
from ..lexical.vocabulary import FeatureReader
from ..prediction import TrainedMatcher
from ..texts import TextReader
from ..vectors import FUSION_TEMPERATURE, TextVectors, TextViews, Vectors, views_of
from ..views import ReaderOfViews

KINDS = (SHARED, ASSOCIATED)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The parts of a score.

    Attributes:
        statement: Typed tokens; the spans of reasons refer to them.
        proof: The same for the proof.
        shared: Contribution of all features that both texts have.
        associated: Contribution of all pairs of features that the matcher associates.
        encoder: Contribution of a joint matcher's encoder.
        hubness_correction: The part that depends on the proof alone, usually negative.
        reasons: What `shared` and `associated` consist of, strongest first.
        agreement: The bonus added to the weighted mean of the views, greater if their scores are closer.
    """

    statement: Sequence[str]
    proof: Sequence[str]
    shared: float
    associated: float
    encoder: float
    hubness_correction: float
    reasons: list[Reason]
    agreement: float = 0.0

    @property
    def score(self) -> float:
        """The sum of the parts, which is the matcher's score of the pair."""
        return self.shared + self.associated + self.encoder + self.hubness_correction + self.agreement

    @property
    def parts(self) -> list[tuple[str, float]]:
        """The parts of the score that the matcher has, each with a name to show."""
        optional = [
            ("encoder", self.encoder),
            ("agreement of views", self.agreement),
            ("hubness correction", self.hubness_correction),
        ]
        return [
            ("shared", self.shared),
            ("associated", self.associated),
            *(part for part in optional if part[1]),
        ]


def explain(
    model: TrainedMatcher,
    statement: Sequence[str],
    proof: Sequence[str],
    top: int | None = None,
    vectors: tuple[Vectors, Vectors] | None = None,
) -> Explanation:
    """Explain the score of a statement and a proof.

    The smooth maximum of several views is the mean of their scores minus their offsets, weighted by a
    softmax, plus the entropy of these weights. So parts and reasons of each view count by its weight, and the
    rest is the `agreement`.

    Args:
        model: From `load_matcher`.
        statement: Typed tokens.
        proof: Typed tokens.
        top: Number of reasons of each kind; None for all.
        vectors: The vectors of the statement and of the proof, if known. Otherwise they are computed.

    Raises:
        ProofmatchError: If the matcher has no features.

    Example:
        >>> explanation = explain(load_matcher("model"), ["t:Let", "m:x"], ["m:x"])  # doctest: +SKIP
        >>> explanation.score, explanation.reasons[0].statement.surface  # doctest: +SKIP
    """
    parts = lexical_parts(model)
    ours, theirs = vectors or (_vectors(model, statement, "statement"), _vectors(model, proof, "proof"))
    views = [
        _explain_view(*view, statement, proof, top)
        for view in zip(parts, _feature_readers(model.reader), views_of(ours), views_of(theirs), strict=True)
    ]
    return _combine(views, np.array(ours.offsets), top) if isinstance(ours, TextViews) else views[0]


def _explain_view(
    lexical: LexicalMatcher,
    reader: FeatureReader,
    ours: TextVectors,
    theirs: TextVectors,
    statement: Sequence[str],
    proof: Sequence[str],
    top: int | None,
) -> Explanation:
    found = explain_by_features(lexical, statement, proof, top, reader)
    # The dense vectors hold the low-rank part, then the hubness correction, then the encoder's.
    products = ours.dense[0].astype(np.float64) * theirs.dense[0]
    start = max(1, lexical.config.rank)
    end = start + bool(lexical.config.hub_weight)
    return Explanation(
        statement=statement,
        proof=proof,
        shared=found.shared,
        associated=found.associated,
        encoder=float(products[end:].sum()),
        hubness_correction=float(products[start:end].sum()),
        reasons=found.reasons,
    )


def _combine(views: list[Explanation], offsets: np.ndarray, top: int | None) -> Explanation:
    scores = (np.array([view.score for view in views]) - offsets) / FUSION_TEMPERATURE
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    entropy = -float((weights * np.log(np.maximum(weights, np.finfo(float).tiny))).sum())
    reasons: dict[tuple[str, ...], Reason] = {}  # words are features of every view
    for weight, view in zip(weights.tolist(), views, strict=True):
        for reason in view.reasons:
            sides = reason.statement, reason.proof
            key = (reason.kind, *(name for side in sides for name in (side.group, side.surface)))
            known = reasons[key].contribution if key in reasons else 0.0
            reasons[key] = replace(reason, contribution=known + weight * reason.contribution)
    strongest = sorted(reasons.values(), key=lambda reason: -reason.contribution)
    kept = {id(one) for kind in KINDS for one in [one for one in strongest if one.kind == kind][:top]}
    mean = {
        part: float(weights @ [getattr(view, part) for view in views])
        for part in ("shared", "associated", "encoder", "hubness_correction")
    }
    return Explanation(
        statement=views[0].statement,
        proof=views[0].proof,
        **mean,
        reasons=[reason for reason in strongest if id(reason) in kept],
        agreement=FUSION_TEMPERATURE * entropy - float(weights @ offsets),
    )


def lexical_parts(model: TrainedMatcher) -> list[LexicalMatcher]:
    """Return the parts of a matcher that have features, one for each view.

    Raises:
        ProofmatchError: If there is none.
    """
    matcher = model.matcher
    features = [view for view in matcher.views if isinstance(view, LexicalMatcher)]
    if len(features) == len(matcher.views):
        return features
    raise ProofmatchError(
        f"{matcher.config.name_or_path or 'the model'} has no features to explain by; "
        "take a model of the preset fast or best"
    )


def _feature_readers(reader: TextReader) -> list[FeatureReader]:
    if isinstance(reader, ReaderOfViews):
        return [one for view in reader.readers for one in _feature_readers(view)]
    if isinstance(reader, JointReader):
        return _feature_readers(reader.features)
    return [reader] if isinstance(reader, FeatureReader) else []


def _vectors(model: TrainedMatcher, tokens: Sequence[str], side: str) -> Vectors:
    return model.matcher.vectors(model.reader.read(pa.array([list(tokens)], pa.list_(pa.string()))), side)
