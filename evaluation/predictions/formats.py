"""The formats of prediction files, told by their suffix."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from proofmatch.errors import ProofmatchError

SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet", ".trec", ".trec.gz")


def suffix_of(path: Path) -> str:
    """Find the suffix that tells the format.

    Raises:
        ProofmatchError: If it is none that we know.
    """
    for suffix in SUFFIXES:
        if path.name.endswith(suffix) and path.name != suffix:
            return suffix
    raise ProofmatchError(
        f"{path} is not named like a prediction file; name it with one of {', '.join(SUFFIXES)}"
    )


def stem_of(path: Path) -> str:
    """Give the name of a prediction file without the suffix that tells the format."""
    return path.name.removesuffix(suffix_of(path))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed if its name says that it is compressed."""
    try:
        with path.open("rb") as file:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if path.suffix == ".gz" else file
    except OSError as error:
        raise ProofmatchError(f"{path} cannot be read ({error.strerror or error})") from None
