"""The embedded sample corpus: articles written for this project, as converted by LaTeXML."""

from pathlib import Path

SAMPLE_LICENSE = "cc0-1.0"


def sample_articles() -> Path:
    """Return the folder of the sample articles."""
    return Path(__file__).parent / "articles"
