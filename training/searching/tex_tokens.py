"""A statement as people write it → the typed tokens that the builder makes of a printed one."""

from collections.abc import Iterator

from ...builder.tex import Piece, printed_text, split_formulas
from ...builder.tokens import text_tokens
from .formulas import formula_tokens

_MARK = "\ue000"  # from the private use area: means nothing by itself


def tex_tokens(text: str, *, invisible_operators: bool = False) -> list[str]:
    r"""Linearize text with formulas in TeX.

    Args:
        text: Words with `$…$`, `$$…$$`, `\(…\)`, `\[…\]` or environments such as `equation`. Nothing is
            refused: what is not understood is read as the characters it consists of.
        invisible_operators: Whether to put signs between factors that stand side by side, as LaTeXML does.

    >>> tex_tokens(r"Let $x \in \mathbb{R}$.")
    ['t:Let', 'm:x', 'm:∈', 'm.double-struck:R', 't:.']
    """
    tokens: list[str] = []
    for piece in printed_pieces(text):
        if piece.is_formula:
            tokens += formula_tokens(piece.tex, invisible_operators=invisible_operators)
        else:
            tokens += text_tokens(piece.tex)
    return tokens


def printed_pieces(text: str) -> Iterator[Piece]:
    r"""Take text and formulas apart, the text as it is printed.

    >>> [piece.tex for piece in printed_pieces(r"\emph{a ring \(R\)}")]
    ['a ring ', 'R', '']
    """
    pieces = list(split_formulas(text.replace(_MARK, " ")))
    # Marks in the places of formulas let commands around them, \emph{a ring $R$}, be read as a whole.
    marked = "".join(
        f"{_MARK}{at}{_MARK}" if piece.is_formula else piece.tex for at, piece in enumerate(pieces)
    )
    for place, part in enumerate(printed_text(marked).split(_MARK)):
        yield pieces[int(part)] if place % 2 else Piece(False, part)
