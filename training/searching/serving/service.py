"""A search request → what the page shows: limits to requests, and searches one at a time."""

import json
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from threadpoolctl import ThreadpoolController

from proofmatch.errors import ProofmatchError

from ....evaluation.pages.formulas import shown_formula
from ....evaluation.pages.texts import Pieces, shown_text
from ..explain import lexical_parts
from ..query import printed_pieces, read_query, statement_tokens
from ..searcher import Hit, Searcher
from .highlighting import classes_of, marked, places_of, shown_reasons

MAX_BYTES = 20_000  # of a request
MAX_CHARACTERS = 8_000  # of a statement; those of a corpus have a few hundred words
MAX_TOKENS = 1_000
MAX_PROOFS = 50

# No readable formula is nested as deeply, and converters are recursive.
_MAX_BRACES = 50
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_FIELDS = frozenset({"statement", "top", "split"})

_MAX_WAITING = 8  # a search takes a whole CPU, and nobody waits long for a page
_WITHOUT_REASONS = (
    "This model compares texts as a whole and cannot tell why a proof fits; "
    "models of the presets fast and best can."
)


class Refused(Exception):  # noqa: N818 - an answer, not an error of ours
    """A request that is refused.

    Attributes:
        status: The HTTP status of the answer.
        sentence: The reason and the remedy.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search.

    Attributes:
        statement: Text with formulas in TeX.
        top: Number of proofs.
        split: The split to search; None for all.
    """

    statement: str
    top: int
    split: str | None


def read_request(body: bytes, splits: Sequence[str]) -> SearchRequest:
    """Parse the body of a request.

    Args:
        body: JSON: `statement`, and optionally `top` and `split`.
        splits: The splits there are.

    Raises:
        Refused: If it is anything else.
    """
    fields = _json_object(body)
    statement, top, split = fields.get("statement"), fields.get("top", 10), fields.get("split")
    if not isinstance(statement, str):
        raise Refused(400, "a search needs a statement, which is text")
    if isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= MAX_PROOFS:
        raise Refused(400, f"top is a whole number from 1 to {MAX_PROOFS}")
    if split is not None and split not in splits:
        raise Refused(400, f"there is no such split; splits are {', '.join(splits)}")
    if len(statement) > MAX_CHARACTERS:
        raise Refused(
            400, f"the statement has {len(statement):,} characters, and may have {MAX_CHARACTERS:,}"
        )
    if _brace_depth(statement) > _MAX_BRACES:
        raise Refused(400, f"more than {_MAX_BRACES} braces are open at once, or closed without an opening")
    # JSON may contain lone surrogates.
    return SearchRequest(statement.encode(errors="replace").decode(), top, split)


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not JSON in UTF-8") from None
    if not isinstance(fields, dict) or not fields.keys() <= _FIELDS:
        raise Refused(400, f"the request is not a JSON object of {', '.join(sorted(_FIELDS))}")
    return fields


def _brace_depth(text: str) -> int:
    """Return the difference between the greatest and the least depth of nesting."""
    depth = least = most = 0
    for match in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        least, most = min(least, depth), max(most, depth)
    return most - least


class SearchService:
    """Answers searches one at a time, with a short queue.

    Args:
        searcher: The model and the proofs.
    """

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.without_reasons = None if _can_explain(searcher) else _WITHOUT_REASONS
        self._turn = threading.Lock()
        self._is_ending = False
        self._threads = ThreadpoolController()
        self._queue = threading.BoundedSemaphore(1 + _MAX_WAITING)

    def answer(self, request: SearchRequest) -> dict[str, Any]:
        """Search, and return what the page shows.

        Raises:
            Refused: If the statement cannot be searched for, or the queue is full.
        """
        if not self._queue.acquire(blocking=False):
            raise Refused(503, "too many searches at once; try again in a moment")
        try:
            # One statement is too little work for several threads.
            with self._turn, self._threads.limit(limits=1):
                if self._is_ending:
                    raise Refused(503, "the page is no longer served")
                return self._answer(request)
        finally:
            self._queue.release()

    def finish(self, seconds: float) -> None:
        """Refuse new and waiting searches, and wait for the current one."""
        self._is_ending = True
        if self._turn.acquire(timeout=seconds):
            self._turn.release()

    def _answer(self, request: SearchRequest) -> dict[str, Any]:
        began = time.perf_counter()
        searcher = self.searcher
        n_tokens = len(statement_tokens(searcher.model, request.statement))
        if n_tokens > MAX_TOKENS:  # an encoder could run out of memory
            raise Refused(
                400, f"the statement has {n_tokens:,} words and symbols, and may have {MAX_TOKENS:,}"
            )
        try:
            query = read_query(searcher.model, request.statement)
        except ProofmatchError as error:
            raise Refused(400, str(error)) from None
        why = self.without_reasons is None
        hits = searcher.search(query, request.top, why=why, split=request.split)
        start, end = searcher.rows(request.split)
        statement = shown_statement(request.statement)
        return {
            "statement": statement,
            "hits": [_hit_fields(hit, statement) for hit in hits],
            "searched": end - start,
            "without_reasons": self.without_reasons,
            "seconds": round(time.perf_counter() - began, 3),
        }


def _can_explain(searcher: Searcher) -> bool:
    try:
        lexical_parts(searcher.model)
    except ProofmatchError:
        return False
    return True


def _hit_fields(hit: Hit, statement: Pieces) -> dict[str, Any]:
    proof = shown_text(hit.text, hit.tokens)
    fields: dict[str, Any] = {
        "rank": hit.rank,
        "score": hit.score,
        "kind": hit.kind,
        "title": hit.title,
        "article_id": hit.article_id,
        "proof_id": hit.proof_id,
        "source": hit.source,
    }
    if hit.explanation is None:
        return {**fields, "proof": proof}
    reasons = shown_reasons(hit.explanation)
    ours, theirs = (
        marked(pieces, classes_of(reasons, places_of(tokens, pieces), side))
        for side, (pieces, tokens) in enumerate(
            [(statement, hit.explanation.statement), (proof, hit.explanation.proof)]
        )
    )
    return {
        **fields,
        "proof": theirs,
        "statement": ours,
        "parts": hit.explanation.parts,
        "reasons": [
            {"kind": reason.kind, "names": reason.names, "contribution": reason.contribution}
            for reason in reasons
        ],
    }


def shown_statement(statement: str) -> Pieces:
    r"""Convert a statement to the pieces that the page shows.

    >>> shown_statement(r"\emph{Let} \(x\) be")
    ['Let ', ['math', ['mi', 'x']], ' be']
    """
    pieces: Pieces = []
    for piece in printed_pieces(statement):
        if piece.is_formula:
            pieces += shown_formula(piece.tex)
        elif piece.tex:
            pieces.append(piece.tex)
    return pieces
