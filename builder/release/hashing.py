"""The hash by which manifests, the Hub and results know a file."""

import hashlib
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Hash a file without holding it in memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
