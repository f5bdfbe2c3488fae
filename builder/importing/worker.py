"""What a worker process does in an import: read the pairs of a chunk, write its part."""

from pathlib import Path

from proofmatch.workers import prepare_process

from ..pair_parts import PartBuilder
from .chunks import Chunk
from .pairs import read_pairs

_seed: int = 0
_parts: Path = Path()


def start_worker(seed: int, parts: Path, driver: int) -> None:
    """Prepare a worker process for both stages of an import; runs once in each."""
    global _seed, _parts
    prepare_process(driver)
    _seed, _parts = seed, parts


def run_chunk(chunk: Chunk) -> int:
    """Read all pairs of a chunk, write its part, and count them; runs in a worker."""
    part = PartBuilder(_seed)
    for article, pair in read_pairs(chunk):
        part.add_pairs(chunk.file.path.name, article, [pair])
    part.write(_parts / chunk.part_name)
    return part.report.pairs_kept
