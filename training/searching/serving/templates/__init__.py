"""The page of the search: its template, style and scripts."""

from pathlib import Path

FOLDER = Path(__file__).parent
