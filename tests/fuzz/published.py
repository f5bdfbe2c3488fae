"""The importer: any file is pairs, or refused in one sentence with its name and usually a line."""

import bz2
import gzip
import lzma
from functools import cache, partial
from pathlib import Path
from random import Random

from proofmatch.builder.pair_parts import PartBuilder
from proofmatch.builder.published_files import cut_into_batches, read_articles, read_pairs
from proofmatch.builder.published_source import PublishedFile, open_files
from proofmatch.builder.tokens import parse_token
from proofmatch.errors import ProofmatchError
from tests.builder.published_corpus import synthetic_blocks, write_file
from tests.builder.test_published_files import HEAD, PAIR
from tests.fuzz.mutations import ANY_BYTES, LINES, damaged
from tests.fuzz.targets import check, check_message

# Without the time, of which inputs must not depend.
_PACKERS = {"": bytes, ".gz": partial(gzip.compress, mtime=0), ".bz2": bz2.compress, ".xz": lzma.compress}
_PIECES = (
    b"____",
    b"____bold",
    b"math\t",
    b"text\t",
    b"\t",
    b"_" * 8,
    b"_" * 12,
    b"|",
    b"arXiv:",
    b"math_",
    b"0\n\n",
)


@cache
def seeds() -> tuple[bytes, ...]:
    import tempfile

    made = [(HEAD + PAIR).encode(), (HEAD + PAIR * 3).encode(), ("0\n\n\n" + PAIR).encode()]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(8):
            path = Path(folder, "file")
            blocks = list(synthetic_blocks(1 + number * 2, number, math_prefix=number % 3 == 0))
            write_file(path, blocks, listed=number % 2 == 0, new_form=number % 4 > 1)
            made.append(path.read_bytes())
    return tuple(made)


def make(chance: Random) -> tuple[str, bytes]:
    suffix = chance.choice(("", "", "", *_PACKERS))
    data = damaged(chance.choice(seeds()), chance, (*LINES, *LINES, *ANY_BYTES, _put_piece), seeds())
    data = _PACKERS[suffix](data)
    return suffix, damaged(data, chance, ANY_BYTES) if suffix and chance.random() < 0.4 else data


def _put_piece(data: bytes, chance: Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(_PIECES) + data[place:]


def run(published: tuple[str, bytes], folder: Path) -> str:
    suffix, data = published
    path = folder / f"mixed_conservation_train{suffix}"
    path.write_bytes(data)
    file = PublishedFile(path, "mixed", "conservation", "train")
    part, pairs = PartBuilder(0, "other"), 0
    try:
        for batch in cut_into_batches([file], read_articles(*next(open_files([file])))):
            for article, pair in read_pairs(batch):
                part.add_pairs(path.name, article, [pair])
                pairs += 1
                for token in (pair.statement_tokens + " " + pair.proof_tokens).split(" "):
                    check(not token or parse_token(token), "an empty token")
            check(batch.part_name.encode(), "no name")
        part.write(folder / "part.arrow")
    except ProofmatchError as error:
        check_message(str(error))
        check(str(path) in str(error), f"the file is not named: {error}")
        return "refused"
    return "pairs" if pairs else "no pairs"
