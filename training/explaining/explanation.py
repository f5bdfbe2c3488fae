"""Why a matcher gives a pair its score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ..joint import JointMatcher
from ..lexical.explanation import Reason, explain_by_features
from ..lexical.matcher import LexicalMatcher
from ..prediction import TrainedMatcher
from ..vectors import TextVectors


@dataclass(frozen=True, slots=True)
class Explanation:
    """A score, taken apart.

    Attributes:
        statement: Typed tokens, to which the spans of reasons refer.
        proof: The same.
        shared: What all features add that both texts have.
        associated: What all pairs of features add that go together.
        encoder: What the encoder of a joint matcher adds.
        hub: What is taken away because the proof is near to all kinds of statements; zero or less, as a rule.
        reasons: What the first two consist of, the strongest reasons first.
    """

    statement: Sequence[str]
    proof: Sequence[str]
    shared: float
    associated: float
    encoder: float
    hub: float
    reasons: list[Reason]

    @property
    def score(self) -> float:
        """The sum of its parts, which is the matcher's score of the pair."""
        return self.shared + self.associated + self.encoder + self.hub


def explain(
    model: TrainedMatcher,
    statement: Sequence[str],
    proof: Sequence[str],
    top: int | None = None,
    vectors: tuple[TextVectors, TextVectors] | None = None,
) -> Explanation:
    """Tell why a proof has its score for a statement.

    Args:
        model: From `load_matcher`.
        statement: Typed tokens.
        proof: Typed tokens.
        top: How many reasons of each kind are wanted; None for all of them.
        vectors: That of the statement and that of the proof, where they are known. Without them, the proof is
            compared with all background statements of the matcher, which takes an encoder some time.

    Raises:
        ProofmatchError: If the matcher has no features.

    Example:
        >>> explanation = explain(load_matcher("model"), ["t:Let", "m:x"], ["m:x"])  # doctest: +SKIP
        >>> explanation.score, explanation.reasons[0].statement.surface  # doctest: +SKIP
    """
    lexical = lexical_part(model)
    found = explain_by_features(lexical, statement, proof, top)
    ours, theirs = vectors or (_vectors(model, statement, "statement"), _vectors(model, proof, "proof"))
    # The low-rank part comes first, the hub last, and what is between them is the encoder's.
    products = ours.dense[0].astype(np.float64) * theirs.dense[0]
    end = -1 if lexical.config.hub_weight else len(products)
    return Explanation(
        statement=statement,
        proof=proof,
        shared=found.shared,
        associated=found.associated,
        encoder=float(products[max(1, lexical.config.rank) : end].sum()),
        hub=float(products[end:].sum()),
        reasons=found.reasons,
    )


def lexical_part(model: TrainedMatcher) -> LexicalMatcher:
    """Find the part of a matcher that knows features.

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
