"""The text files of the published corpus: how they are cut into batches, and their pairs.

A file has the number of its articles, a list of them (or a placeholder), and its pairs:

    math/0101001|S1.Thm1
    ____________
    text<TAB>Let
    math<TAB>math_x math_=____bold y
    ____________
    text<TAB>Clear.

Empty lines separate these blocks. Anything unexpected is refused with its file and line.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import NoReturn

from proofmatch.errors import ProofmatchError

from .extraction.metadata import source_of
from .extraction.pairs import OTHER, kind_in_words
from .extraction.passages import passage_tokens, readable
from .identifiers import pair_id
from .linearization.fonts import MATHVARIANTS
from .linearization.presentation import surface_tokens
from .published_source import PublishedFile, TextStream, open_files
from .records import Article, Formula, Length, Pair, Passage, Segment
from .settings import MEBIBYTE
from .tokens import Memo

BATCH_BYTES = 4 * MEBIBYTE

_READ_BYTES = 4 * MEBIBYTE
_LONGEST_BLOCK = 64 * MEBIBYTE  # the list of all articles takes a tenth of it, a pair some kilobytes

_SEPARATOR = re.compile(rb"_{8,}")  # between the id, the statement and the proof of a pair
_FIRST_LINE = re.compile(rb"(?:\A|\n\n)\n*([^\n]+)")  # of a block
_NUMBER = re.compile(rb"\d{1,18}")
_PLACEHOLDER = re.compile(rb"[^\d\t]+")  # instead of a number

_EXPECTED_LINE = "text<TAB>words or math<TAB>symbols"
_FONT_MARK = "____"
_MATH_PREFIX = "math_"
_TITLE_WORDS = 4  # "3.1 Main Theorem (Gauss)." names its kind in the first few words
_CLOSING = frozenset(",.;:!?)]}’”")  # follow a formula without a space
_EXCERPT = 60


@dataclass(frozen=True, slots=True)
class PublishedBatch:
    """Consecutive pairs of a file: the unit of work, of storage and of resumption."""

    file: PublishedFile
    index: int  # among the batches of its file
    line: int  # number of its first line in the file
    data: bytes  # whole blocks
    articles: dict[str, Article]  # what the files say about the articles of these pairs
    is_listed: bool  # whether the file lists its articles, so that all must be known

    def __str__(self) -> str:
        return f"{self.file} near line {self.line}"

    @property
    def part_name(self) -> str:
        """The file name of its part; it changes with anything that changes the part's content."""
        known = repr((self.line, sorted(self.articles.items())))
        fingerprint = blake2b(self.data + known.encode(), digest_size=8).hexdigest()
        return f"{self.file.family}-{self.file.split}-{self.index:06d}-{fingerprint}.arrow"


def read_articles(file: PublishedFile, stream: TextStream) -> dict[str, Article]:
    """Read the list of articles at the top of a file, by their ids."""
    return _read_head(_BlockReader(stream, file))


def cut_into_batches(
    files: Iterable[PublishedFile], articles: dict[str, Article]
) -> Iterator[PublishedBatch]:
    """Read files as a stream of batches, given the articles in the lists of all files.

    Those in an archive come in its order.
    """
    for file, stream in open_files(files):
        reader = _BlockReader(stream, file)
        is_listed, index = bool(_read_head(reader)), 0
        while data := reader.blocks(BATCH_BYTES):
            heads = {head.decode("utf-8", "replace") for head in _FIRST_LINE.findall(data)}
            names = sorted(articles.keys() & set(map(_article_id, heads)))
            line = reader.line - data.count(b"\n")
            known = {name: articles[name] for name in names}
            yield PublishedBatch(file, index, line, data, known, is_listed)
            index += 1


class _BlockReader:
    """Reads a stream block by block; an empty line ends a block."""

    def __init__(self, stream: TextStream, file: PublishedFile) -> None:
        self.file = file
        self.line = 1  # number of the next one
        self._stream = stream
        self._buffer = b""
        self._ended = False
        self._is_start = True

    def block(self) -> bytes:
        """Take one block; empty at the end of the file."""
        self._skip_empty_lines()
        while (end := self._buffer.find(b"\n\n")) < 0 and not self._ended:
            self._fill()
        return self._take(len(self._buffer) if end < 0 else end + 1)

    def blocks(self, size: int) -> bytes:
        """Take blocks of about `size` bytes together, at least one; empty at the end of the file."""
        self._skip_empty_lines()
        while not self._ended and (len(self._buffer) < size or b"\n\n" not in self._buffer):
            self._fill()
        end = self._buffer.rfind(b"\n\n")
        return self._take(len(self._buffer) if self._ended or end < 0 else end + 1)

    def is_pair(self) -> bool:
        """Tell whether the next block is a pair: its second line is a separator."""
        self._skip_empty_lines()
        while self._buffer.count(b"\n") < 2 and not self._ended:
            self._fill()
        lines = self._buffer.split(b"\n", 2)
        return len(lines) > 1 and bool(_SEPARATOR.fullmatch(lines[1]))

    def _skip_empty_lines(self) -> None:
        while not self._buffer.strip(b"\n") and not self._ended:
            self._fill()
        self._take(len(self._buffer) - len(self._buffer.lstrip(b"\n")))

    def _take(self, size: int) -> bytes:
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        self.line += taken.count(b"\n")
        return taken

    def _fill(self) -> None:
        more = self._stream.read(_READ_BYTES)
        if self._is_start:
            more, self._is_start = more.removeprefix(codecs.BOM_UTF8), False
        self._ended = not more
        # Files saved on Windows; a read may end in the middle of a line end.
        self._buffer = (self._buffer + more).replace(b"\r\n", b"\n")
        if len(self._buffer) > _LONGEST_BLOCK:
            _refuse(self.file, self.line, "blocks separated by empty lines", b"a block without end")


def _read_head(reader: _BlockReader) -> dict[str, Article]:
    """Read the number of articles and their list; a placeholder for the list gives no articles."""
    line, head = reader.line, reader.block().strip(b"\n")
    number = int(head) if _NUMBER.fullmatch(head) else None
    if number is None and not _PLACEHOLDER.fullmatch(head):
        _refuse(reader.file, line, "the number of articles", head)
    if reader.is_pair():
        return {}
    line = reader.line
    lines = reader.block().strip(b"\n").split(b"\n")
    if len(lines) == 1 and b"\t" not in lines[0]:
        return {}
    articles = {}
    for place, text in enumerate(lines, start=line):
        fields = _decoded(reader.file, place, text).split("\t", 2)
        if len(fields) != 3 or not fields[0].strip():
            _refuse(reader.file, place, "arxiv_id<TAB>category|category<TAB>title", text)
        name = _article_id(fields[0])
        if name in articles:
            _refuse(reader.file, place, "an article that is not in the list already", text)
        articles[name] = Article(
            name, " ".join(fields[2].split()), tuple(fields[1].replace("|", " ").split())
        )
    if number is not None and number != len(lines):
        _refuse(reader.file, line, f"{number} articles", f"{len(lines)}".encode())
    return articles


def _article_id(head: str) -> str:
    """Read the article's id in the first line of a pair; newer files add the statement's after a bar."""
    return head.partition("|")[0].strip().removeprefix("arXiv:")


def read_pairs(batch: PublishedBatch) -> Iterator[tuple[Article, Pair]]:
    """Read all pairs of a batch; the first malformed line is refused."""
    line = batch.line
    for block in batch.data.split(b"\n\n"):
        body = block.lstrip(b"\n")
        start = line + len(block) - len(body)
        if body:
            yield _read_pair(batch, body.rstrip(b"\n").split(b"\n"), start)
        line += block.count(b"\n") + 2


def _read_pair(batch: PublishedBatch, lines: list[bytes], start: int) -> tuple[Article, Pair]:
    file = batch.file
    head = _decoded(file, start, lines[0])
    name = _article_id(head)
    if not name or len(lines[0].split()) != 1:
        _refuse(file, start, "the id of an article", lines[0])
    cuts = [place for place, line in enumerate(lines) if _SEPARATOR.fullmatch(line)]
    if cuts[:1] != [1]:
        _refuse(file, start + 1, "a line of underscores after the id", lines[1] if lines[1:] else b"")
    if len(cuts) != 2:
        place = cuts[2] if len(cuts) > 2 else len(lines) - 1
        _refuse(file, start + place, "a statement, a line of underscores and a proof", lines[place])
    statement, proof = (
        _read_passage(file, lines[begin + 1 : end], start + begin + 1)
        for begin, end in ((1, cuts[1]), (cuts[1], len(lines)))
    )
    article = batch.articles.get(name)
    if article is None:
        if batch.is_listed:
            _refuse(file, start, "an article of the list at the top of the file", lines[0])
        article = Article(name, "", ())
    source = source_of(article.id, article.id, head.partition("|")[2].strip())
    return article, _named_pair(article, statement, proof, source)


def _read_passage(file: PublishedFile, lines: Iterable[bytes], start: int) -> Passage:
    segments: list[Segment] = []
    words = leaves = 0
    for place, line in enumerate(lines, start):
        tag, _, content = _decoded(file, place, line).partition("\t")
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
                raise ValueError(_EXPECTED_LINE)
        except ValueError as error:
            _refuse(file, place, str(error), line)
    if not segments:
        _refuse(file, start, _EXPECTED_LINE, b"nothing")
    return Passage(tuple(segments), Length(words, leaves))


def _typed_symbol(token: str) -> str:
    """Turn `math_x____bold` into `m.bold:x`; prefix and font are optional."""
    symbol, font = token.removeprefix(_MATH_PREFIX) or token, None
    if _FONT_MARK in symbol and symbol.strip("_"):
        symbol, _, font = symbol.rpartition(_FONT_MARK)
        if not symbol or font not in MATHVARIANTS:
            raise ValueError(f"a symbol, {_FONT_MARK} and one of MathML's fonts instead of {_excerpt(token)}")
    return surface_tokens(symbol, font)


_typed_symbols = Memo(_typed_symbol)


def _named_pair(article: Article, statement: Passage, proof: Passage, source: str) -> Pair:
    texts, tokens = (readable(statement), readable(proof)), (passage_tokens(statement), passage_tokens(proof))
    return Pair(
        # Of texts and tokens: only tokens have fonts, only texts have spaces.
        id=pair_id(article.id, 0, *texts, *tokens),
        kind=kind_in_words(" ".join(texts[0].split()[:_TITLE_WORDS])) or OTHER,
        statement=texts[0],
        proof=texts[1],
        statement_tokens=tokens[0],
        proof_tokens=tokens[1],
        statement_length=statement.length,
        proof_length=proof.length,
        source=source,
    )


def _decoded(file: PublishedFile, line: int, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        _refuse(file, line, "text in UTF-8", text)


def _excerpt(text: str) -> str:
    r"""Quote the beginning of a text, shortened after escaping: one character can become ten.

    >>> _excerpt("x\x00")
    "'x\\x00'"
    """
    shown = repr(text[: _EXCERPT + 1])
    return shown if len(shown) <= _EXCERPT + 2 else f"{shown[: _EXCERPT + 1]}…{shown[-1]}"


def _refuse(file: PublishedFile, line: int, expected: str, found: bytes) -> NoReturn:
    shown = _excerpt(found.decode("utf-8", "replace").partition("\n")[0])
    raise ProofmatchError(
        f"{file}, line {line}: expected {expected}, found {shown}; "
        "the file is damaged or not one of the published ones"
    )
