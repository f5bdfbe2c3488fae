"""Answers searches, one after the other."""

import threading
import time
from typing import Any

from threadpoolctl import ThreadpoolController

from proofmatch.errors import ProofmatchError

from ....evaluation.pages.texts import shown_text
from ...explaining.explanation import Explanation, lexical_part
from ..search import Hit, Searcher, read_query
from ..statement import statement_tokens
from .limits import MOST_TOKENS, Refused, Wanted
from .marking import marked
from .places import places_of
from .reasons import classes_of, shown_reasons
from .shown import shown_statement

_MOST_WAITING = 8  # one search takes all of a processor, and nobody waits long for a page
_WITHOUT_REASONS = (
    "This model compares texts as a whole and cannot tell why a proof fits; "
    "models of the presets fast and best can."
)


class SearchService:
    """Searches for those who ask at the same time.

    Args:
        searcher: Has the model and the proofs.
    """

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.without_reasons = None if _can_explain(searcher) else _WITHOUT_REASONS
        self._turn = threading.Lock()
        self._is_ending = False
        self._processors = ThreadpoolController()
        self._places = threading.BoundedSemaphore(1 + _MOST_WAITING)

    def answer(self, wanted: Wanted) -> dict[str, Any]:
        """Search, and tell what a page shows.

        Raises:
            Refused: If the statement cannot be searched for, or too many others wait.
        """
        if not self._places.acquire(blocking=False):
            raise Refused(503, "too many searches at once; try again in a moment")
        try:
            # A statement and a few proofs are too little to be shared out over processors.
            with self._turn, self._processors.limit(limits=1):
                if self._is_ending:
                    raise Refused(503, "the page is no longer served")
                return self._answer(wanted)
        finally:
            self._places.release()

    def finish(self, seconds: float) -> None:
        """Wait for the search that is going on, if there is one; those that have not begun are refused."""
        self._is_ending = True
        if self._turn.acquire(timeout=seconds):
            self._turn.release()

    def _answer(self, wanted: Wanted) -> dict[str, Any]:
        began = time.perf_counter()
        searcher = self.searcher
        n_tokens = len(statement_tokens(searcher.model, wanted.statement))
        if n_tokens > MOST_TOKENS:  # for which an encoder would take all the memory there is
            raise Refused(
                400, f"the statement has {n_tokens:,} words and symbols, and may have {MOST_TOKENS:,}"
            )
        try:
            query = read_query(searcher.model, wanted.statement)
        except ProofmatchError as error:
            raise Refused(400, str(error)) from None
        why = self.without_reasons is None
        hits = searcher.search(query, wanted.top, why=why, split=wanted.split)
        start, end = searcher.rows(wanted.split)
        statement = shown_statement(wanted.statement)
        return {
            "statement": statement,
            "hits": [_fields(hit, statement) for hit in hits],
            "searched": end - start,
            "without_reasons": self.without_reasons,
            "seconds": round(time.perf_counter() - began, 3),
        }


def _can_explain(searcher: Searcher) -> bool:
    try:
        lexical_part(searcher.model)
    except ProofmatchError:
        return False
    return True


def _fields(hit: Hit, statement: list[Any]) -> dict[str, Any]:
    proof = shown_text(hit.text, hit.tokens)
    fields: dict[str, Any] = {
        "rank": hit.rank,
        "score": hit.score,
        "kind": hit.kind,
        "title": hit.title,
        "article_id": hit.article_id,
        "proof_id": hit.proof_id,
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
        "parts": _parts(hit.explanation),
        "reasons": [
            {"kind": reason.kind, "names": reason.names, "contribution": reason.contribution}
            for reason in reasons
        ],
    }


def _parts(explanation: Explanation) -> list[tuple[str, float]]:
    parts = [("shared", explanation.shared), ("associated", explanation.associated)]
    if explanation.encoder:
        parts.append(("encoder", explanation.encoder))
    if explanation.hub:
        parts.append(("near to all kinds of statements", explanation.hub))
    return parts
