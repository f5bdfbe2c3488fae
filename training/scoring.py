"""A matcher and texts → scores of all pairs, computed when asked for."""

import numpy as np
import torch

from proofmatch.progress import Progress

from ..evaluation.decoding.sources import ProductScores
from .encoding import EncodedTexts
from .model.matcher import ProofMatcher

_TEXTS = 256  # encoded between two signs of progress


def score_texts(
    matcher: ProofMatcher, statements: EncodedTexts, proofs: EncodedTexts, progress: Progress | None = None
) -> ProductScores:
    """Encode each text once; a pair's score is then a product of two vectors, S·W and P."""
    left = encode_all(matcher, statements, progress)
    right = encode_all(matcher, proofs, progress)
    weight, bias = (part.detach().float().cpu().numpy() for part in (matcher.weight, matcher.bias))
    # The bias changes no ranking, but scores are to be those of the model: one more dimension has it.
    return ProductScores(
        np.hstack([left @ weight, np.broadcast_to(bias, (len(left), 1))]),
        np.hstack([right, np.ones((len(right), 1), dtype=right.dtype)]),
    )


def encode_all(matcher: ProofMatcher, texts: EncodedTexts, progress: Progress | None = None) -> np.ndarray:
    """Encode texts without dropout and without a graph, (texts, dim)."""
    was_training = matcher.training
    matcher.eval()
    # By length, so that texts encoded together have little padding between them.
    order = np.argsort(-texts.lengths, kind="stable")
    vectors = np.empty((len(texts), matcher.config.embedding_size), dtype=np.float32)
    with torch.inference_mode():
        for start in range(0, len(order), _TEXTS):
            some = order[start : start + _TEXTS]
            vectors[some] = matcher.encode([texts[number] for number in some]).float().cpu().numpy()
            if progress is not None:
                progress.advance()
    matcher.train(was_training)
    return vectors
