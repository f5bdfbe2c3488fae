"""Formulas in TeX → the same formulas in the part of TeX that the converter to MathML reads well."""

import re

from .commands import DIMENSION, DIMENSION_OF_LINE_BREAK, DIMENSIONED
from .pieces import DISPLAYS
from .text import printed_text

# They print nothing.
_INVISIBLE = re.compile(
    r"(?:no)?limits|math(?:op|bin|rel|ord|open|close|punct|inner)"
    r"|nonumber|notag|(?:math)?strut|hfill|ensuremath|protect|relax"
)
# They only change the size and place of what they stand at.
_LAYOUT = re.compile(r"(?:display|text|script(?:script)?)style|left|right|middle|[bB]igg?[lrm]?")
_RENAMED = {
    "operatorname": r"\mathrm",
    "operatorname*": r"\mathrm",
    "operatornamewithlimits": r"\mathrm",
    "sim": "∼ ",
    "bm": r"\boldsymbol",
    # Macros that authors nearly always define alike.
    **{letter: rf"\mathbb{{{letter}}}" for letter in "CNQRZ"},
}
_RENAMED_WITHOUT_LAYOUT = {**_RENAMED, "overline": r"\bar", "underline": r"\bar"}

_COMMAND = re.compile(r"\\(?P<word>operatorname\*|[A-Za-z]+)|\\.", re.DOTALL)

_group = "[^{}]*"
for _ in range(3):  # groups within groups
    _group = rf"(?:[^{{}}]|\{{{_group}\}})*+"
_TEXT = re.compile(
    r"\\(?:text(?P<font>bf|sf|tt)|text(?:it|md|normal|rm|sl|up)?|emph|[mh]box)"
    rf"\s*\{{(?P<inside>{_group})\}}"
)

_BRACE = re.compile("[{}]")

_NOTHING = re.compile(
    rf"\\(?:label|tag\*?)\s*\{{[^{{}}]*\}}|\\(?:{'|'.join(sorted(DIMENSIONED))}){DIMENSION.pattern}"
)
_NO_BRACKET = re.compile(r"\\(?:left|right)\s*\.")
# All of them are tables without signs of their own. The converter would number the lines of some, and does
# not know others.
_ENVIRONMENT = re.compile(
    rf"\\(?P<end>begin|end)\s*\{{(?:{DISPLAYS}|aligned(?:at)?|gathered|multlined|split)\*?\}}"
    r"(?:\s*\{\d+\}|\s*\[[tbc]\])?"
)
# Between operators, dots are raised.
_DOTS = re.compile(r"(?:(?<=[-+=<>*])\s*\\dots|\\dots(?=\s*[-+=<>*]))(?![A-Za-z])")
_LINE_BREAK = re.compile(rf"\\\\{DIMENSION_OF_LINE_BREAK.pattern}")
_NEGATED = re.compile(r"\\not\s*(?:(?P<equal>=)|\\in(?![A-Za-z]))")
# {\rm Spec}, and \mathrm{Spec} as one name.
_OLD_FONT = re.compile(r"\{\s*\\(rm|bf|sf|tt|it|cal)\s+([^{}]*)\}")
_NAME = re.compile(r"\\math(?P<font>rm|bf|sf|tt)\s*\{\s*(?P<name>[^\W\d_]+)\s*\}")


def rewritten(tex: str, *, keeps_layout: bool = False) -> str:
    r"""Write a formula so that its MathML has the leaves that LaTeXML would write.

    Args:
        tex: Without the dollars around it.
        keeps_layout: Keep what only changes sizes and places, as those who look at the formula want it.

    >>> rewritten(r"\left. \mathrm{Hom}(X, \overline{x}) \right|")
    '  \\textrm{Hom}(X, \\bar{x})  |'
    """
    tex = _TEXT.sub(_text_and_formulas, tex)
    tex = _LINE_BREAK.sub(r"\\\\", _NOTHING.sub(" ", tex))
    tex = _DOTS.sub(r"\\cdots ", _ENVIRONMENT.sub(r"\\\g<end>{matrix}", tex))
    tex = _NEGATED.sub(lambda match: r"\neq " if match["equal"] else r"\notin ", tex)
    tex = _OLD_FONT.sub(r"\\math\1{\2}", tex)
    if not keeps_layout:
        tex = _NO_BRACKET.sub(" ", tex)
    tex = _COMMAND.sub(lambda command: _plain(command, keeps_layout), tex)
    return _NAME.sub(r"\\text\g<font>{\g<name>}", tex)


def _text_and_formulas(match: re.Match[str]) -> str:
    """Take the formulas out of a text inside a formula."""
    command = rf"\text{match['font'] or ''}"
    pieces = match["inside"].split("$")
    return "".join(
        f" {piece} " if place % 2 else f"{command}{{{_BRACE.sub('', printed_text(piece))}}}"
        for place, piece in enumerate(pieces)
        if piece
    )


def _plain(command: re.Match[str], keeps_layout: bool) -> str:
    word = command["word"]
    if word and (_INVISIBLE.fullmatch(word) or (not keeps_layout and _LAYOUT.fullmatch(word))):
        return " "
    return (_RENAMED if keeps_layout else _RENAMED_WITHOUT_LAYOUT).get(word, command[0])
