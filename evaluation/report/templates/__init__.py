"""Template, style and script of the report."""

from pathlib import Path

FOLDER = Path(__file__).parent
