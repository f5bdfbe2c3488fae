"""Scores → matching: local and global decoding.

`match_locally` gives every statement its best proof. `match_globally` is one-to-one over a matrix in memory,
`match_candidates` over listed candidates, and `match_exactly` over all pairs of any number of texts, with a
certificate that `verify_certificate` checks. `normalized_scores` weighs scores against all others first.
"""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .candidates import Candidates
    from .certificate import Certificate, CertificateError, ExactMatching, verify_certificate
    from .dense import match_globally
    from .exact import Round, match_exactly
    from .local import match_locally
    from .normalizing import normalized_scores
    from .offsets import OffsetScores
    from .pruned import Matching, match_candidates
    from .retrieval import best_candidates
    from .sources import DenseScores, ProductScores, ScoreSource, SparseProductScores

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
    "best_candidates",
    "match_candidates",
    "match_exactly",
    "match_globally",
    "match_locally",
    "normalized_scores",
    "verify_certificate",
]

__getattr__ = lazy_exports(
    __name__,
    {
        "Candidates": ".candidates",
        "Certificate": ".certificate",
        "CertificateError": ".certificate",
        "DenseScores": ".sources",
        "ExactMatching": ".certificate",
        "Matching": ".pruned",
        "OffsetScores": ".offsets",
        "ProductScores": ".sources",
        "Round": ".exact",
        "ScoreSource": ".sources",
        "SparseProductScores": ".sources",
        "best_candidates": ".retrieval",
        "match_candidates": ".pruned",
        "match_exactly": ".exact",
        "match_globally": ".dense",
        "match_locally": ".local",
        "normalized_scores": ".normalizing",
        "verify_certificate": ".certificate",
    },
)
