"""Published files → chunks of pairs: the unit of work, of storage and of resumption."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from ..records import Article
from ..settings import MEBIBYTE
from .blocks import BlockReader, open_published
from .files import PublishedFile
from .head import article_id, read_head

CHUNK = 4 * MEBIBYTE

_FIRST_LINE = re.compile(rb"(?:\A|\n\n)\n*([^\n]+)")  # of a block


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive pairs of a file.

    Attributes:
        file: The file.
        index: Its place among the chunks of its family.
        line: Number of its first line in the file.
        data: Its lines, whole blocks.
        articles: What the files tell about the articles of these pairs.
        is_listed: Whether the file has a list of its articles, so that all must be known.
    """

    file: PublishedFile
    index: int
    line: int
    data: bytes
    articles: dict[str, Article]
    is_listed: bool

    @property
    def part_name(self) -> str:
        """The file name of its part; whatever changes the part's content changes the name."""
        known = repr((self.file.split, self.line, sorted(self.articles.items())))
        fingerprint = blake2b(self.data + known.encode(), digest_size=8).hexdigest()
        return f"{self.file.family}-{self.index:06d}-{fingerprint}.arrow"


@dataclass
class ChunkCutter:
    """Cuts the files of one family into chunks, one after the other.

    Attributes:
        articles: What the heads of all files tell about articles.
    """

    articles: dict[str, Article]
    _chunks: int = 0

    def cut(self, file: PublishedFile) -> Iterator[Chunk]:
        """Read a file as a stream of chunks."""
        with open_published(file.path) as stream:
            reader = BlockReader(stream, file.path)
            is_listed = bool(read_head(reader))
            while data := reader.blocks(CHUNK):
                line = reader.line - data.count(b"\n")
                yield self._chunk(file, data, line, is_listed)

    def _chunk(self, file: PublishedFile, data: bytes, line: int, is_listed: bool) -> Chunk:
        heads = {head.decode("utf-8", "replace") for head in _FIRST_LINE.findall(data)}
        names = sorted(self.articles.keys() & set(map(article_id, heads)))
        self._chunks += 1
        known = {name: self.articles[name] for name in names}
        return Chunk(file, self._chunks - 1, line, data, known, is_listed)
