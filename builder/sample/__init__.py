"""The embedded sample corpus: articles of our own, as LaTeXML writes them."""

from pathlib import Path

SAMPLE_LICENSE = "cc0-1.0"


def sample_articles() -> Path:
    """Return the folder of the sample articles."""
    return Path(__file__).parent / "articles"
