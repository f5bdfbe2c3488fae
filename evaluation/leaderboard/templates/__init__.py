"""The templates, style and script of the leaderboard's pages."""

from pathlib import Path

FOLDER = Path(__file__).parent
