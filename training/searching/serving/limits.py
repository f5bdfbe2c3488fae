"""What a request may ask for, and what is refused before anything is computed of it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_BYTES = 20_000  # of a request
MOST_CHARACTERS = 8_000  # of a statement; those of a corpus are a few hundred words long
MOST_TOKENS = 1_000
MOST_PROOFS = 50

# No formula that people can read is nested as deeply, and converters go down by recursion.
_MOST_BRACES = 50
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_FIELDS = frozenset({"statement", "top", "split"})


class Refused(Exception):  # noqa: N818 - an answer, not an accident
    """A request that is not served.

    Attributes:
        status: Of the answer, as HTTP counts them.
        sentence: Says why, and what to do.
    """

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for.

    Attributes:
        statement: Text with formulas in TeX.
        top: How many proofs are wanted.
        split: That whose proofs are searched; None for all.
    """

    statement: str
    top: int
    split: str | None


def read_request(body: bytes, splits: Sequence[str]) -> Wanted:
    """Read the body of a request.

    Args:
        body: JSON: `statement`, and optionally `top` and `split`.
        splits: Those there are.

    Raises:
        Refused: If it is anything else.
    """
    fields = _object(body)
    statement, top, split = fields.get("statement"), fields.get("top", 10), fields.get("split")
    if not isinstance(statement, str):
        raise Refused(400, "a search needs a statement, which is text")
    if isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= MOST_PROOFS:
        raise Refused(400, f"top is a whole number from 1 to {MOST_PROOFS}")
    if split is not None and split not in splits:
        raise Refused(400, f"there is no such split; splits are {', '.join(splits)}")
    if len(statement) > MOST_CHARACTERS:
        raise Refused(
            400, f"the statement has {len(statement):,} characters, and may have {MOST_CHARACTERS:,}"
        )
    if _brace_depth(statement) > _MOST_BRACES:
        raise Refused(400, f"more than {_MOST_BRACES} braces are open at once, or closed without an opening")
    # JSON can hold halves of characters.
    return Wanted(statement.encode(errors="replace").decode(), top, split)


def _object(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not JSON in UTF-8") from None
    if not isinstance(fields, dict) or not fields.keys() <= _FIELDS:
        raise Refused(400, f"the request is not a JSON object of {', '.join(sorted(_FIELDS))}")
    return fields


def _brace_depth(text: str) -> int:
    """Tell how far apart the least and the most nested places of a text are."""
    depth = least = most = 0
    for match in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        least, most = min(least, depth), max(most, depth)
    return most - least
