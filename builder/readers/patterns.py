"""Glob patterns, local and remote."""

import glob
import itertools
from pathlib import Path


def fixed_part(pattern: str) -> Path:
    """Take the folders of a pattern before the first one that is a pattern itself.

    >>> fixed_part("dump/*/index.html")
    PosixPath('dump')
    """
    return Path(*itertools.takewhile(lambda part: not glob.has_magic(part), Path(pattern).parts))
