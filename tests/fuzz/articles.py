"""Articles: any bytes are pairs, or discarded for a named reason."""

from functools import cache
from pathlib import Path
from random import Random

from lxml import etree

from proofmatch.builder.arrow import read_arrow
from proofmatch.builder.article import ArticleReader, ReadArticle
from proofmatch.builder.extraction.document import find_landmarks, parse_document
from proofmatch.builder.extraction.pairs import find_pairs
from proofmatch.builder.extraction.scan import has_proof, is_literal
from proofmatch.builder.filters import load_detector
from proofmatch.builder.pair_parts import PartBuilder, read_discarded
from proofmatch.builder.reasons import DocumentError, Reason
from proofmatch.builder.sample import sample_articles
from proofmatch.builder.settings import BuildSettings
from proofmatch.builder.tokens import parse_token
from tests.builder.bad_documents import bad_documents, harmless_documents
from tests.fuzz.mutations import ANY_BYTES, LARGEST, MARKUP, damaged, recode
from tests.fuzz.targets import check

_XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'
_WAYS = (*MARKUP, *MARKUP, *ANY_BYTES, recode)
_UNEXPECTED = (Reason.CRASHED, Reason.TIMEOUT)


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """Names and bytes: whole articles, articles of one or two pairs, and what is bad already."""
    whole = [(path.name, path.read_bytes()) for path in sorted(sample_articles().iterdir())]
    small = [piece for name, data in whole for piece in _pieces(name, data)]
    odd = {name: data for name, (data, _) in bad_documents("http://127.0.0.1:9").items()}
    odd |= harmless_documents("http://127.0.0.1:9", "file:///etc/hostname")
    odd_ones = [(name, data) for name, data in odd.items() if len(data) <= LARGEST]
    return (*whole, *small, *small, *odd_ones)


def _pieces(name: str, data: bytes) -> list[tuple[str, bytes]]:
    root = parse_document(data, name)
    head = b"".join(etree.tostring(meta, with_tail=False) for meta in find_landmarks(root).metas)
    pairs = [
        etree.tostring(statement, with_tail=False) + etree.tostring(proof, with_tail=False)
        for statement, proof in find_pairs(find_landmarks(root).divs)
    ]
    pages = [b"".join(pairs[place : place + 2]) for place in range(0, len(pairs), 2)]
    form = f"<html {_XHTML}><head>%b</head><body>%b</body></html>".encode()
    return [(name, form % (head, page)) for page in pages]


@cache
def _reader() -> ArticleReader:
    return ArticleReader(BuildSettings(min_tokens=1), load_detector("cld2"))


def make(chance: Random) -> tuple[str, bytes]:
    if chance.random() < 0.02:
        return chance.choice(("x.xhtml", "x.html")), chance.choice((b"<", b"")) + chance.randbytes(200)
    name, data = chance.choice(seeds())
    if chance.random() < 0.2:
        name = chance.choice(
            ("a.html", "index.xml", "math/9902050.xhtml", "\udcff.xhtml", "x" * 300 + ".htm")
        )
    return name, damaged(data, chance, _WAYS)


def run(article: tuple[str, bytes], folder: Path) -> str:
    name, data = article
    read = _reader().read(data, name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    check(isinstance(read, ReadArticle), f"it is a {type(read).__name__}")
    for discarded in read.discarded:
        check(discarded.reason not in _UNEXPECTED, str(discarded))
    check(
        not is_literal(data) or has_proof(data) or not _has_pairs(data, name),
        "the scan misses a pair that a parser finds",
    )
    check(len(read.pairs) <= read.pairs_found, "more pairs were kept than found")
    for pair in read.pairs:
        for tokens in (pair.statement_tokens, pair.proof_tokens):
            check(tokens == " ".join(tokens.split()), f"white space in tokens: {tokens!r}")
            for token in tokens.split(" ") if tokens else ():
                parse_token(token)
    part = PartBuilder(0, "other")
    part.add(name.encode("utf-8", "replace").decode(), read)
    part.write(folder / "part.arrow")
    check(read_arrow(folder / "part.arrow").num_rows == len(read.pairs), "pairs were lost in storage")
    check(
        read_discarded(folder / "part.arrow").num_rows == len(read.discarded), "reasons were lost in storage"
    )
    return "pairs" if read.pairs else str(read.discarded[0].reason) if read.discarded else "nothing"


def _has_pairs(data: bytes, name: str) -> bool:
    try:
        return bool(find_pairs(find_landmarks(parse_document(data, name)).divs))
    except DocumentError:
        return False
