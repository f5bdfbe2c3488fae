"""A text of a release → the pieces that a page shows, as lists that JSON can hold.

A piece is a string, or a formula as `formulas.py` describes it.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ...builder.tex import formula_ends
from ...builder.tokens import MATH, parse_token
from .formulas import formula_of_symbols, in_alphabet, leaves_of, shown_formula, written

Pieces = list[Any]

# Stop words, which do not tell what a text is about.
_WORDS = """
    a an the this that these those it its we i you our is are be been being was were has have had do does
    of in on at to from by with for as into over under and or but if then so thus hence since because such
    which where when there let see say can may must any all every each some one also only
    lemma lemmas proposition propositions theorem theorems corollary definition definitions remark section
    proof follows
"""
COMMON_WORDS = frozenset(_WORDS.split())

_DOLLAR_OR_ESCAPED = re.compile(r"\\[$\\]|\$")
_LEFT_AS_TEX = re.compile(r"(\$\$.+?\$\$)", re.DOTALL)
_CLOSING = re.compile(r"[.,;:!?)\]’”%]")


def shown_text(text: str, tokens: Sequence[str] = ()) -> Pieces:
    r"""Split a text into pieces.

    Args:
        text: The text, with `$TeX$` where the source has it, and `\$` for a dollar.
        tokens: The tokens of the text, from which formulas are made if the text has no TeX.

    >>> shown_text("Let $x$ be \\$1.")
    ['Let ', ['math', ['mi', 'x']], ' be $1.']
    """
    if "$" not in text and any(token.startswith(MATH) for token in tokens):
        return _pieces_of_tokens(tokens)
    pieces: Pieces = []
    for is_formula, part in _parts(text.strip()):
        if is_formula:
            pieces += shown_formula(part)
        else:
            pieces += _words_and_code(part)
    return pieces


def _words_and_code(text: str) -> Pieces:
    """Separate words from what a converter has left as TeX, such as diagrams."""
    return [
        ["code", part] if place % 2 else part for place, part in enumerate(_LEFT_AS_TEX.split(text)) if part
    ]


def _parts(text: str) -> list[tuple[bool, str]]:
    parts: list[tuple[bool, str]] = []
    words: list[str] = []
    position = 0
    ends = formula_ends(text)
    for match in _DOLLAR_OR_ESCAPED.finditer(text):
        if match.start() < position:
            continue
        words.append(text[position : match.start()])
        position = match.end()
        if len(match[0]) == 2:
            words.append(match[0][1] if match[0] == r"\$" else match[0])
        elif end := ends.get(match.start()):
            parts += [(False, "".join(words)), (True, text[position:end])]
            words, position = [], end + 1
        else:
            words.append("$")
    return [*parts, (False, "".join(words) + text[position:])]


def _pieces_of_tokens(tokens: Sequence[str]) -> Pieces:
    pieces: Pieces = []
    for is_math, run in groupby(tokens, lambda token: token.startswith(MATH)):
        parsed = [parse_token(token) for token in run]
        if is_math:
            symbols = [in_alphabet(token.surface, token.font or "") for token in parsed]
            pieces += [" " if pieces else "", *formula_of_symbols(symbols)]
        else:
            pieces.append(_spaced([token.surface for token in parsed], begins=not pieces))
    return [piece for piece in pieces if piece]


def _spaced(words: list[str], *, begins: bool) -> str:
    """Join words, with spaces as in print."""
    text = ""
    for word in words:
        is_closing = _CLOSING.fullmatch(word) is not None
        text += word if is_closing or text.endswith(("(", "[", "“")) or (begins and not text) else f" {word}"
    return text


def plain_text(pieces: Pieces) -> str:
    r"""Write pieces as a line of text, with scripts where Unicode has them.

    >>> plain_text(shown_text(r"Let $x \in X_i$ be."))
    'Let x∈Xᵢ be.'
    """
    written_pieces = (piece if isinstance(piece, str) else written(leaves_of(piece)) for piece in pieces)
    return " ".join("".join(written_pieces).split())
