"""Scores → matching: local, global and exact decoding, explained in docs/decoding.md.

`match_locally` gives every statement its best proof. `match_globally` is one-to-one over a matrix in memory,
`match_candidates` over listed candidates, and `match_exactly` over all pairs of any number of texts, with a
certificate that `verify_certificate` checks. `normalized_scores` corrects hubness first.
"""

from .candidates import Candidates, best_candidates
from .exact.certificate import Certificate, CertificateError, ExactMatching, verify_certificate
from .exact.solver import Round, match_exactly
from .matching import Matching, fill_unmatched, match_candidates, match_globally, match_locally
from .normalization import normalized_scores
from .scores import DenseScores, OffsetScores, ProductScores, ScoreSource, SparseProductScores, SumScores

__all__ = [
    "Candidates",
    "Certificate",
    "CertificateError",
    "DenseScores",
    "ExactMatching",
    "Matching",
    "OffsetScores",
    "ProductScores",
    "Round",
    "ScoreSource",
    "SparseProductScores",
    "SumScores",
    "best_candidates",
    "fill_unmatched",
    "match_candidates",
    "match_exactly",
    "match_globally",
    "match_locally",
    "normalized_scores",
    "verify_certificate",
]
