"""One document → its pairs: parse, find, read, filter, name. The heart of the builder."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from .extraction.document import find_landmarks, parse_document
from .extraction.metadata import id_from_path, read_license, read_metadata, source_of
from .extraction.pairs import find_pairs, read_pair
from .extraction.passages import passage_tokens, readable, running_text
from .extraction.scan import has_proof, is_literal
from .filters import LengthFilter, is_foreign
from .identifiers import pair_id
from .linearization.content import ContentMathError
from .reasons import DocumentError, Reason
from .records import Article, Discarded, Pair, RawPair
from .settings import BuildSettings

_EXCERPT = 80
_LANGUAGE_SAMPLE = 2000  # characters; a detector is sure after a few hundred words


@dataclass(frozen=True, slots=True)
class ReadArticle:
    """The outcome of one document."""

    article: Article
    pairs_found: int
    pairs: list[Pair]
    discarded: list[Discarded]


class ArticleReader:
    """Reads documents under fixed settings."""

    def __init__(self, settings: BuildSettings, detect_language: Callable[[str], str]) -> None:
        self._detect_language = detect_language
        self._read_pair = partial(
            read_pair, keep_titles=settings.titles == "keep", longest=settings.max_tokens
        )
        self._length_filter = LengthFilter(settings.min_tokens, settings.max_tokens)

    def read(self, data: bytes, name: str) -> ReadArticle:
        """Read one document; any fault is recorded among the discarded."""
        try:
            return self._read(data, name)
        except DocumentError as error:
            return discarded_document(name, error)

    def _read(self, data: bytes, name: str) -> ReadArticle:
        if not has_proof(data) and is_literal(data):
            raise DocumentError(Reason.NO_PAIRS)
        root = parse_document(data, name)
        landmarks = find_landmarks(root)
        article = read_metadata(landmarks, name)
        divs = find_pairs(landmarks.divs)
        if not divs:
            return ReadArticle(article, 0, [], [Discarded(article.id, Reason.NO_PAIRS, name)])
        if b"license" in data or not is_literal(data):
            article = replace(article, license=read_license(root))
        raw_pairs: list[RawPair] = []
        discarded: list[Discarded] = []
        for statement, proof in divs:
            try:
                raw_pairs.append(self._read_pair(statement, proof))
            except ContentMathError as error:
                discarded.append(Discarded(article.id, Reason.UNCONVERTIBLE_FORMULA, str(error)))
        language = self._detect_language(_language_sample(raw_pairs))
        if is_foreign(language):
            dropped = Discarded(article.id, Reason.NOT_ENGLISH, language)
            return ReadArticle(article, len(divs), [], [dropped])
        pairs = self._filter_and_name(article, name, raw_pairs, discarded)
        return ReadArticle(article, len(divs), pairs, discarded)

    def _filter_and_name(
        self, article: Article, name: str, raw_pairs: list[RawPair], discarded: list[Discarded]
    ) -> list[Pair]:
        pairs = []
        seen: Counter[tuple[str, str]] = Counter()
        for raw in raw_pairs:
            verdict = self._length_filter.reason_to_drop(raw.statement.length, raw.proof.length)
            if verdict:
                reason, detail = verdict
                excerpt = " ".join(readable(raw.statement).split())[:_EXCERPT]
                discarded.append(Discarded(article.id, reason, f"{detail}: {excerpt}"))
                continue
            statement, proof = readable(raw.statement), readable(raw.proof)
            pairs.append(
                Pair(
                    # Equal pairs of an article are numbered: only here does the order matter.
                    id=pair_id(article.id, seen[statement, proof], statement, proof),
                    kind=raw.kind,
                    statement=statement,
                    proof=proof,
                    statement_tokens=passage_tokens(raw.statement),
                    proof_tokens=passage_tokens(raw.proof),
                    statement_length=raw.statement.length,
                    proof_length=raw.proof.length,
                    source=source_of(article.id, name, raw.element_id),
                )
            )
            seen[statement, proof] += 1
        return pairs


def discarded_document(name: str, error: DocumentError) -> ReadArticle:
    """Record a document that could not be read, with the id that its path suggests."""
    article = Article(id_from_path(name), "", ())
    detail = f"{name}: {error.detail}" if error.detail else name
    return ReadArticle(article, 0, [], [Discarded(article.id, error.reason, detail)])


def _language_sample(pairs: list[RawPair]) -> str:
    """Take as much of the pairs' text as a language detector needs."""
    pieces: list[str] = []
    size = 0
    for passage in (passage for pair in pairs for passage in (pair.statement, pair.proof)):
        pieces.append(running_text(passage))
        size += len(pieces[-1])
        if size >= _LANGUAGE_SAMPLE:
            break
    return "\n".join(pieces)[:_LANGUAGE_SAMPLE]
