"""The templates of model card and learning curves."""

from pathlib import Path

FOLDER = Path(__file__).parent
