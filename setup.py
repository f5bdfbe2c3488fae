"""The description on PyPI: the README, whose links to files of the repository lead nowhere there."""

import re
from pathlib import Path

from setuptools import setup

readme = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
setup(
    long_description=re.sub(r"!?\[([^\]]+)\]\((?!https?://)[^)]+\)", r"\1", readme),
    long_description_content_type="text/markdown",
)
