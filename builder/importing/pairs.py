"""The lines of a chunk → pairs, strictly."""

from collections.abc import Iterable, Iterator

from ..extraction.pairs import OTHER, kind_in_words
from ..extraction.passages import passage_tokens, readable
from ..identifiers import pair_id, proof_id, statement_id
from ..linearization.fonts import MATHVARIANTS
from ..linearization.presentation import surface_tokens
from ..records import Article, Formula, Length, Pair, Passage, Segment
from ..tokens import Memo
from .blocks import SEPARATOR, decoded, excerpt, expected_at
from .chunks import Chunk
from .head import article_id

_FONT_MARK = "____"
_MATH_PREFIX = "math_"
_TITLE_WORDS = 4  # "3.1 Main Theorem (Gauss)." tells its kind in the first few
_CLOSING = frozenset(",.;:!?)]}’”")  # follow a formula without a space


class _UnexpectedError(Exception):
    """A line is not as it should be; says what was expected."""


def read_pairs(chunk: Chunk) -> Iterator[tuple[Article, Pair]]:
    """Read all pairs of a chunk.

    Raises:
        ProofmatchError: At the first line that is not as it should be.
    """
    line = chunk.line
    for block in chunk.data.split(b"\n\n"):
        body = block.lstrip(b"\n")
        start = line + len(block) - len(body)
        if body:
            lines = body.rstrip(b"\n").split(b"\n")
            yield _read_pair(chunk, lines, start)
        line += block.count(b"\n") + 2


def _read_pair(chunk: Chunk, lines: list[bytes], start: int) -> tuple[Article, Pair]:
    path = chunk.file.path
    name = article_id(decoded(path, start, lines[0]))
    if not name or len(lines[0].split()) != 1:
        expected_at(path, start, "the id of an article", lines[0])
    cuts = [place for place, line in enumerate(lines) if SEPARATOR.fullmatch(line)]
    if cuts[:1] != [1]:
        expected_at(path, start + 1, "a line of underscores after the id", lines[1] if lines[1:] else b"")
    if len(cuts) != 2:
        place = cuts[2] if len(cuts) > 2 else len(lines) - 1
        expected_at(path, start + place, "a statement, a line of underscores and a proof", lines[place])
    statement, proof = (
        _read_passage(chunk, lines[begin + 1 : end], start + begin + 1)
        for begin, end in ((1, cuts[1]), (cuts[1], len(lines)))
    )
    article = chunk.articles.get(name)
    if article is None:
        if chunk.is_listed:
            expected_at(path, start, "an article of the list at the top of the file", lines[0])
        article = Article(name, "", ())
    return article, _named_pair(article, statement, proof)


def _read_passage(chunk: Chunk, lines: Iterable[bytes], start: int) -> Passage:
    segments: list[Segment] = []
    words = leaves = 0
    place = start - 1
    for place, line in enumerate(lines, start):
        tag, _, content = decoded(chunk.file.path, place, line).partition("\t")
        tokens = content.split()
        try:
            if tag == "text" and tokens:
                gap = "" if not segments or tokens[0][0] in _CLOSING else " "
                segments.append(gap + " ".join(tokens))
                words += len(tokens)
            elif tag == "math" and tokens:
                if segments:
                    segments.append(" ")
                segments.append(Formula(" ".join(map(_typed_symbols.__getitem__, tokens)), None))
                leaves += len(tokens)
            else:
                raise _UnexpectedError("text<TAB>words or math<TAB>symbols")
        except _UnexpectedError as error:
            expected_at(chunk.file.path, place, str(error), line)
    if not segments:
        expected_at(chunk.file.path, start, "text<TAB>words or math<TAB>symbols", b"nothing")
    return Passage(tuple(segments), Length(words, leaves))


def _typed_symbol(token: str) -> str:
    """Turn `math_x____bold` into `m.bold:x`; prefix and font may be missing."""
    symbol, font = token.removeprefix(_MATH_PREFIX) or token, None
    if _FONT_MARK in symbol and symbol.strip("_"):
        symbol, _, font = symbol.rpartition(_FONT_MARK)
        if not symbol or font not in MATHVARIANTS:
            raise _UnexpectedError(
                f"a symbol, {_FONT_MARK} and one of MathML's fonts instead of {excerpt(token)}"
            )
    return surface_tokens(symbol, font)


_typed_symbols = Memo(_typed_symbol)


def _named_pair(article: Article, statement: Passage, proof: Passage) -> Pair:
    texts, tokens = (readable(statement), readable(proof)), (passage_tokens(statement), passage_tokens(proof))
    # Fonts are only in the tokens, spaces only in the texts.
    name = pair_id(article.id, 0, *texts, *tokens)
    return Pair(
        id=name,
        statement_id=statement_id(name),
        proof_id=proof_id(name),
        kind=kind_in_words(" ".join(texts[0].split()[:_TITLE_WORDS])) or OTHER,
        statement=texts[0],
        proof=texts[1],
        statement_tokens=tokens[0],
        proof_tokens=tokens[1],
        statement_length=statement.length,
        proof_length=proof.length,
    )
