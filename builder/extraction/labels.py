"""The label a statement carries ("Theorem 1.3"), and whether a proof names it.

A proof that begins "Proof of Theorem 1.3." gives itself away to anyone who compares labels.
"""

import re

from .kinds import kind_in_words

_NUMBER = r"(?P<number>\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)"
_WORD = r"(?P<word>[^\W\d_]{3,})"
_LABEL = re.compile(rf"\W*{_WORD}\.?[\s~]*{_NUMBER}(?!\w|\.\d)")
_NUMBER_FIRST = re.compile(rf"\W*{_NUMBER}\.?\s+{_WORD}")
_MENTION = re.compile(rf"\b{_WORD}\.?[\s~]*{_NUMBER}(?!\w|\.\d)")

Label = tuple[str, str]


def own_label(statement: str) -> Label | None:
    """Read the label at the very start of a statement: its kind and its number.

    >>> own_label("Lemma 2.1 (Gauss). Let x"), own_label("3 Theorem. Let x"), own_label("Let x be 1")
    (('lemma', '2.1'), ('theorem', '3'), None)
    """
    match = _LABEL.match(statement) or _NUMBER_FIRST.match(statement)
    return _label(match) if match else None


def names_label(proof: str, label: Label) -> bool:
    """Tell whether a proof mentions a label.

    >>> [names_label(proof, ("theorem", "2.1")) for proof in ("Proof of Thm. 2.1.", "By Lemma 2.1")]
    [True, False]
    """
    if label[1] not in proof:
        return False
    return any(_label(match) == label for match in _MENTION.finditer(proof))


def _label(match: re.Match[str]) -> Label | None:
    kind = kind_in_words(match["word"])
    return (kind, match["number"]) if kind else None
