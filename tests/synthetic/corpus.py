"""Synthetic corpora of any size with the statistics of the paper's tables, for tests and benchmarks.

python -m tests.synthetic.corpus ARCHIVE.tar.bz2 --documents 10000

Every document depends on the settings and its number alone. The last member of an archive, `synthetic.json`,
says what a build must find.
"""

import argparse
import bz2
import json
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from math import exp
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from proofmatch.builder.reasons import Reason
from proofmatch.storage import atomic_file
from tests.synthetic import paper
from tests.synthetic.articles import (
    MARKUPS,
    Markup,
    PlannedArticle,
    PlannedPair,
    draw_categories,
    draw_number_of_pairs,
    plan_foreign_pairs,
    plan_pairs,
    write_article,
)
from tests.synthetic.words import LANGUAGES

ENGLISH = "en"
MANIFEST = "synthetic.json"
_SIZE_SD = 0.65  # of the logarithm of a document's size, as in real corpora
_BATCH = 64  # documents
_BLOCK = 512  # bytes of a tar file


@dataclass(frozen=True, slots=True)
class Settings:
    """Parameters of a synthetic corpus.

    Attributes:
        documents: How many.
        seed: Another seed gives other documents.
        damaged: Share of documents that cannot be read.
        with_pairs: Share of documents with pairs that pass the filters.
        foreign: Share of documents with pairs in other languages than English.
        outside: Share of English pairs that are too short or too long.
        markups: Names of the generations of markup to use.
        kilobytes: Mean size of a document.
    """

    documents: int = 10_000
    seed: int = 0
    damaged: float = 0.01
    with_pairs: float = round(paper.DOCUMENTS_WITH_PAIRS / paper.DOCUMENTS, 4)
    foreign: float = 0.004
    outside: float = 0.12
    markups: tuple[str, ...] = tuple(MARKUPS)
    kilobytes: float = 60.0


def _truncate(random: Random, data: bytes) -> bytes:
    # After a tag: within one, a parser would report a syntax error.
    return data[: data.index(b">", int(len(data) * random.uniform(0.3, 0.95))) + 1]


def _insert(text: bytes, after: bytes) -> Callable[[Random, bytes], bytes]:
    return lambda _, data: data.replace(after, after + text, 1)


def _drop_end_tag(random: Random, data: bytes) -> bytes:
    place = data.index(b"</p>", int(len(data) * random.uniform(0.1, 0.6)))
    return data[:place] + data[place + len(b"</p>") :]


_PROOF = re.compile(rb'class="[^"]*proof')  # without a statement before it, a proof is no pair


class Damage(NamedTuple):
    """Damage of a document.

    Attributes:
        reason: Why the document is discarded.
        do: What happens to its bytes.
        markup: The only markup it happens to, if it is one.
        takes_a_parser: Whether only a parser sees it, so that it makes no difference without a proof.
    """

    reason: Reason
    do: Callable[[Random, bytes], bytes]
    markup: str | None = None
    takes_a_parser: bool = False


DAMAGES = {
    "truncated": Damage(Reason.TRUNCATED, _truncate),
    "wrong-encoding": Damage(
        Reason.WRONG_ENCODING, _insert("café".encode("latin-1"), b"<body>\n"), takes_a_parser=True
    ),
    "missing-end-tag": Damage(Reason.MALFORMED, _drop_end_tag, "latexml-0.7", takes_a_parser=True),
    "empty": Damage(Reason.EMPTY, lambda *_: b"\n"),
    "nested": Damage(
        Reason.TOO_DEEP, _insert(b"<div>" * 3000 + b"</div>" * 3000, b"<body>\n"), takes_a_parser=True
    ),
    "not-markup": Damage(Reason.NOT_MARKUP, lambda *_: b"\\documentclass{article}\n\\begin{document}\n"),
}


@dataclass(frozen=True, slots=True)
class Document:
    """A document, and what a build must make of it.

    Attributes:
        name: Its path.
        data: Its bytes.
        article_id: The id of the article.
        language: Its language.
        damage: What kind of damage it has, if any.
        reason: Why all of it is discarded, if it is.
        pairs: Its pairs; all of them are found unless the document is damaged.
    """

    name: str
    data: bytes
    article_id: str
    language: str
    damage: str | None
    reason: Reason | None
    pairs: tuple[PlannedPair, ...]

    @property
    def kept(self) -> int:
        """How many of its pairs are kept."""
        return 0 if self.reason else sum(pair.reason is None for pair in self.pairs)

    @property
    def dropped(self) -> list[Reason]:
        """Why each of the other pairs is dropped."""
        return [] if self.reason else [pair.reason for pair in self.pairs if pair.reason]


def documents(settings: Settings) -> Iterator[Document]:
    """Make all documents, one after the other."""
    return (make_document(settings, number) for number in range(settings.documents))


def make_document(settings: Settings, number: int) -> Document:
    """Make the document of a number."""
    random = Random(f"{settings.seed}:{number}")  # noqa: S311 - not for cryptography
    kind = random.choice(list(DAMAGES)) if random.random() < settings.damaged else None
    damage = DAMAGES[kind] if kind else None
    markup = _draw_markup(random, (damage.markup,) if damage and damage.markup else settings.markups)
    categories, language, pairs = draw_categories(random), ENGLISH, ()
    draw = random.random()
    if draw < settings.with_pairs:
        pairs = plan_pairs(random, draw_number_of_pairs(random, categories[0]), settings.outside)
    elif draw < settings.with_pairs + settings.foreign:
        language = random.choice(list(LANGUAGES))
        pairs = plan_foreign_pairs(random, random.randint(2, 5))
    # A log-normal size with the mean of the settings.
    size = settings.kilobytes * 1000 * exp(_SIZE_SD * random.gauss(0.0, 1.0) - _SIZE_SD**2 / 2)
    identifier = f"{7 + number // 9999 // 12:02}{1 + number // 9999 % 12:02}.{number % 9999 + 1:04}"
    plan = PlannedArticle(identifier, categories, markup, language, pairs, round(size))
    data = write_article(random, plan).encode()
    reason = Reason.NOT_ENGLISH if language != ENGLISH else None if pairs else Reason.NO_PAIRS
    if damage:
        data = damage.do(random, data)
        is_parsed = _PROOF.search(data) is not None
        reason = damage.reason if is_parsed or not damage.takes_a_parser else Reason.NO_PAIRS
        pairs = ()
    name = f"{identifier[:4]}/{identifier.replace('.', '_')}{markup.suffix}"
    return Document(name, data, identifier, language, kind, reason, pairs)


def _draw_markup(random: Random, names: tuple[str, ...]) -> Markup:
    allowed = [MARKUPS[name] for name in names]
    return random.choices(allowed, [markup.share for markup in allowed])[0]


def write_corpus(settings: Settings, archive: Path, workers: int = 1) -> dict[str, Any]:
    """Write an archive, `.tar` or `.tar.bz2`, and return its manifest.

    Batches are compressed streams of their own, which all tools read as one, so that processes can make them
    at the same time; the bytes do not depend on their number.
    """
    compress = bz2.compress if archive.suffix == ".bz2" else bytes
    batches = [
        range(first, min(first + _BATCH, settings.documents))
        for first in range(0, settings.documents, _BATCH)
    ]
    counts: Counter[str] = Counter()
    with atomic_file(archive) as temporary, temporary.open("wb") as file:
        with ProcessPoolExecutor(workers) as pool:
            for data, tally in pool.map(partial(_make_batch, settings, compress), batches):
                file.write(data)
                counts.update(tally)
        manifest = {"settings": asdict(settings), **_nested(counts)}
        last = (json.dumps(manifest, indent=2) + "\n").encode()
        file.write(compress(_member(MANIFEST, last) + bytes(2 * _BLOCK)))
    return manifest


def _make_batch(
    settings: Settings, compress: Callable[[bytes], bytes], numbers: range
) -> tuple[bytes, Counter[str]]:
    made = [make_document(settings, number) for number in numbers]
    counts: Counter[str] = Counter()
    for document in made:
        formulas = document.data.count(b"</math>") + document.data.count(b"</m:math>")
        counts.update(
            {"documents/all": 1, "documents/bytes": len(document.data), "documents/formulas": formulas}
        )
        counts.update({"pairs/found": len(document.pairs), "pairs/kept": document.kept})
        counts.update(
            f"discarded/{reason}" for reason in ([document.reason] if document.reason else document.dropped)
        )
    return compress(b"".join(_member(document.name, document.data) for document in made)), counts


def _member(name: str, data: bytes) -> bytes:
    header = tarfile.TarInfo(name)
    header.size = len(data)
    return header.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % _BLOCK)


def _nested(counts: Counter[str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {"documents": {}, "pairs": {}, "discarded": {}}
    for name, count in sorted(counts.items()):
        part, _, key = name.partition("/")
        found[part][key] = count
    return found


def main() -> int:
    """Write an archive and say what is in it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("archive", type=Path, help="ends in .tar or .tar.bz2")
    parser.add_argument("--workers", type=int, default=2)
    defaults = Settings()
    for name in ("documents", "seed", "damaged", "with_pairs", "foreign", "outside", "kilobytes"):
        value = getattr(defaults, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = vars(parser.parse_args())
    archive, workers = options.pop("archive"), options.pop("workers")
    print(json.dumps(write_corpus(Settings(**options), archive, workers)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
