"""A statement as the page shows it: the way it was understood."""

from ....evaluation.pages.formulas import shown_formula
from ....evaluation.pages.texts import Pieces
from ..tex_tokens import printed_pieces


def shown_statement(statement: str) -> Pieces:
    r"""Show a statement as it was understood.

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
