"""How good a matcher is on a split: all proofs ranked for every statement, and matched one-to-one."""

import numpy as np

from ...evaluation.decoding.candidates import best_candidates
from ...evaluation.decoding.matching import fill_unmatched, match_candidates
from ...evaluation.decoding.scores import ScoreSource, map_blocks
from ...evaluation.metrics import rank_of_gold_in_block, reciprocal_ranks
from ..model.saved import SavedMatcher
from ..pairs import MatchingSet
from ..scoring import score_texts

METRICS = ("mrr", "accuracy", "one_to_one_accuracy")


def validate(matcher: SavedMatcher, split: MatchingSet) -> dict[str, float]:
    """Measure MRR and accuracy of the ranking, and the accuracy of the one-to-one matching."""
    scores = score_texts(matcher, split.statements, split.proofs)
    ranks = _ranks(scores, split.gold)
    candidates = best_candidates(scores)
    matched = fill_unmatched(match_candidates(candidates).columns, candidates)
    measured = (reciprocal_ranks(ranks).mean(), (ranks == 1).mean(), (matched == split.gold).mean())
    return dict(zip(METRICS, map(float, measured), strict=True))


def _ranks(scores: ScoreSource, gold: np.ndarray) -> np.ndarray:
    def ranks(start: int, block: np.ndarray) -> np.ndarray:
        return rank_of_gold_in_block(block, gold[start : start + len(block)])

    return np.concatenate(list(map_blocks(scores, ranks)))
