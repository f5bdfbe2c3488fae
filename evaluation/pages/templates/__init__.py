"""The template, style and scripts of all pages."""

from pathlib import Path

FOLDER = Path(__file__).parent
