"""Made-up articles with the statistics of the paper's tables, for trying the system at size."""

from .documents import SyntheticDocument, synthetic_document, synthetic_documents
from .settings import SyntheticSettings
from .writing import synthesize

__all__ = [
    "SyntheticDocument",
    "SyntheticSettings",
    "synthesize",
    "synthetic_document",
    "synthetic_documents",
]
