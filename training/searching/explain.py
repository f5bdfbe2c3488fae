"""Why a matcher with features gives a pair its score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ..joint import JointMatcher
from ..lexical.explanation import Reason, explain_by_features
from ..lexical.lexical_matcher import LexicalMatcher
from ..prediction import TrainedMatcher
from ..vectors import TextVectors


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score, taken apart.

    Attributes:
        statement: Typed tokens; the spans of reasons refer to them.
        proof: The same for the proof.
        shared: Contribution of all features that both texts have.
        associated: Contribution of all pairs of features that the matcher associates.
        encoder: Contribution of a joint matcher's encoder.
        hubness_correction: The part that depends on the proof alone, usually negative.
        reasons: What `shared` and `associated` consist of, strongest first.
    """

    statement: Sequence[str]
    proof: Sequence[str]
    shared: float
    associated: float
    encoder: float
    hubness_correction: float
    reasons: list[Reason]

    @property
    def score(self) -> float:
        """The sum of the parts, which is the matcher's score of the pair."""
        return self.shared + self.associated + self.encoder + self.hubness_correction

    @property
    def parts(self) -> list[tuple[str, float]]:
        """The parts of the score that the matcher has, each with a name to show."""
        optional = [("encoder", self.encoder), ("hubness correction", self.hubness_correction)]
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
    vectors: tuple[TextVectors, TextVectors] | None = None,
) -> Explanation:
    """Explain the score of a statement and a proof.

    Args:
        model: From `load_matcher`.
        statement: Typed tokens.
        proof: Typed tokens.
        top: Number of reasons of each kind; None for all.
        vectors: The vectors of the statement and of the proof, if known. Otherwise the proof is compared with
            all background statements of the matcher, for which an encoder takes some time.

    Raises:
        ProofmatchError: If the matcher has no features.

    Example:
        >>> explanation = explain(load_matcher("model"), ["t:Let", "m:x"], ["m:x"])  # doctest: +SKIP
        >>> explanation.score, explanation.reasons[0].statement.surface  # doctest: +SKIP
    """
    lexical = lexical_part(model)
    found = explain_by_features(lexical, statement, proof, top)
    ours, theirs = vectors or (_vectors(model, statement, "statement"), _vectors(model, proof, "proof"))
    # The dense vectors hold the low-rank part, then the encoder's, then the hubness correction.
    products = ours.dense[0].astype(np.float64) * theirs.dense[0]
    end = -1 if lexical.config.hub_weight else len(products)
    return Explanation(
        statement=statement,
        proof=proof,
        shared=found.shared,
        associated=found.associated,
        encoder=float(products[max(1, lexical.config.rank) : end].sum()),
        hubness_correction=float(products[end:].sum()),
        reasons=found.reasons,
    )


def lexical_part(model: TrainedMatcher) -> LexicalMatcher:
    """Return the part of a matcher that has features.

    Raises:
        ProofmatchError: If there is none.
    """
    matcher = model.matcher
    if isinstance(matcher, JointMatcher):
        return matcher.lexical
    if isinstance(matcher, LexicalMatcher):
        return matcher
    raise ProofmatchError(
        f"{matcher.config.name_or_path or 'the model'} has no features to explain by; "
        "take a model of the preset fast or best"
    )


def _vectors(model: TrainedMatcher, tokens: Sequence[str], side: str) -> TextVectors:
    return model.matcher.vectors(model.reader.read(pa.array([list(tokens)], pa.list_(pa.string()))), side)
