"""The head of a published file: the number of articles, and what is known about each."""

import re

from ..records import Article
from .blocks import BlockReader, decoded, expected_at, open_published
from .files import PublishedFile

_NUMBER = re.compile(rb"\d{1,18}")
_PLACEHOLDER = re.compile(rb"[^\d\t]+")  # instead of a number


def read_head(reader: BlockReader) -> dict[str, Article]:
    """Read the number of articles and their list, which in some files is but a placeholder."""
    line, head = reader.line, reader.block().strip(b"\n")
    number = int(head) if _NUMBER.fullmatch(head) else None
    if number is None and not _PLACEHOLDER.fullmatch(head):
        expected_at(reader.path, line, "the number of articles", head)
    if reader.is_pair():
        return {}
    line = reader.line
    lines = reader.block().strip(b"\n").split(b"\n")
    if len(lines) == 1 and b"\t" not in lines[0]:
        return {}
    articles = {}
    for place, text in enumerate(lines, start=line):
        fields = decoded(reader.path, place, text).split("\t", 2)
        if len(fields) != 3 or not fields[0].strip():
            expected_at(reader.path, place, "arxiv_id<TAB>category|category<TAB>title", text)
        name = article_id(fields[0])
        if name in articles:
            expected_at(reader.path, place, "an article that is not in the list already", text)
        articles[name] = Article(
            name, " ".join(fields[2].split()), tuple(fields[1].replace("|", " ").split())
        )
    if number is not None and number != len(lines):
        expected_at(
            reader.path, line, f"{head.decode('utf-8', 'replace')} articles", f"{len(lines)}".encode()
        )
    return articles


def read_articles(file: PublishedFile) -> dict[str, Article]:
    """Read what the head of a file tells about its articles, by their ids."""
    with open_published(file.path) as stream:
        return read_head(BlockReader(stream, file.path))


def article_id(head: str) -> str:
    """Read the article's id at the head of a pair; newer files add the statement's after a bar."""
    return head.partition("|")[0].strip().removeprefix("arXiv:")
