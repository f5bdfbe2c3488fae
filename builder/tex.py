"""Text with formulas in TeX, as people write it and as releases show it.

`split_formulas` separates text from formulas, `printed_text` turns the text into what is printed, and
`rewritten` the formulas into the part of TeX that the converter to MathML reads well.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Double-struck letters are the names of fixed sets (ℝ, ℕ), not of variables.
_DOUBLE_STRUCK = _words("mathbb Bbb mathds mathbbm mathbbmss mathbbmtt mathbbb varmathbb")

_REFERENCES_AND_LOOKS = _words(
    "label ref eqref pageref autoref cref Cref nameref cite citep citet tag href url end cline hdotsfor "
    "hspace vspace raisebox scalebox rotatebox parbox includegraphics color textcolor colorbox class cssId "
    "style"
)

# Command → how many of its first arguments contain no formula.
UNTOUCHED_ARGUMENTS = {
    **dict.fromkeys(_DOUBLE_STRUCK | _REFERENCES_AND_LOOKS, 1),
    **dict.fromkeys(_words("rule multicolumn fontsize fcolorbox resizebox setlength"), 2),
    "definecolor": 3,
    "genfrac": 4,
}

# The argument is text, in which `$` begins a formula.
TEXT_COMMANDS = _words(
    "text textrm textnormal textup textit textbf textsf texttt textsc textsl textmd emph mbox hbox fbox "
    "makebox framebox intertext shortintertext footnote"
)

# The argument may be the name of one operator.
FONT_COMMANDS = _words(
    "operatorname operatornamewithlimits mathop mathord mathrm mathsf mathit mathbf mathtt mathnormal mathup "
    "mathcal mathscr mathfrak mathbfit mathbold boldsymbol bm pmb bold symrm symbf symsf symit symtt"
)

# The font of what follows changes.
FONT_DECLARATIONS = _words("rm it bf sf tt sl sc mit cal rmfamily sffamily ttfamily bfseries itshape")

# A dimension follows them.
DIMENSION_COMMANDS = _words("kern hskip vskip mkern mskip hglue raise lower moveleft moveright")

_LENGTH = r"[-+]?\s*(?:\d+(?:[.,]\d*)?|[.,]\d+)\s*(?:true\s*)?(?:pt|em|ex|mu|cm|mm|in|pc|bp|dd|cc|sp|fil+)"
DIMENSION = re.compile(rf"\s*=?\s*{_LENGTH}(?:\s*(?:plus|minus)\s*{_LENGTH})*")
DIMENSION_OF_BOX = re.compile(rf"\s*(?:to|spread)\s*{_LENGTH}")
DIMENSION_OF_LINE_BREAK = re.compile(rf"\*?\s*\[\s*{_LENGTH}\s*\]")

# An environment and its vertical position; in some of them the columns or their number follow.
BEGIN = re.compile(
    r"\s*\{(?:(?:array|tabular|darray|subarray|(?:x?x?alignat|alignedat)\*?)\}(?:\s*\[[a-z]\])?(?P<columns>)"
    r"|(?:aligned|gathered|multlined|[bBpvV]?(?:small)?matrix\*)\}(?:\s*\[[a-z]\])?"
    r"|[A-Za-z]*\*?\})"
)

DISPLAYS = "math|displaymath|equation|align|alignat|flalign|gather|multline|eqnarray|dmath"
"""Environments that are a formula of one or several lines; each also exists with a star."""

# An escaped character comes first, so that neither `\$` nor the second half of `\\[` opens a formula.
_OPENING = re.compile(
    r"(?P<escaped>\\[\\$%&#_{} ])"
    rf"|(?P<dollars>\$\$?)|\\(?P<bracket>[(\[])|\\begin\s*\{{(?P<environment>(?:{DISPLAYS})\*?)\}}"
)
_BRACE_OR_DOLLAR = re.compile(r"\\.|(?P<brace>[{}])|(?P<dollar>\$)", re.DOTALL)
_CLOSING_BRACKETS = {"(": r"\)", "[": r"\]"}


class Piece(NamedTuple):
    """A stretch of text, or a formula: without its delimiters, or a whole environment."""

    is_formula: bool
    tex: str


def split_formulas(text: str) -> Iterator[Piece]:
    r"""Find the formulas of a text: `$…$`, `$$…$$`, `\(…\)`, `\[…\]` and environments such as `equation`.

    An opening delimiter without a closing one is text.

    >>> [piece.tex for piece in split_formulas(r"Let $x$ be \(y\).")]
    ['Let ', 'x', ' be ', 'y', '.']
    """
    ends = formula_ends(text)
    start = position = 0
    while opening := _OPENING.search(text, position):
        position = opening.end()
        formula = _formula(text, opening, ends)
        if formula is not None:
            inside, position = formula
            yield Piece(False, text[start : opening.start()])
            yield Piece(True, inside)
            start = position
    yield Piece(False, text[start:])


def formula_end(text: str, start: int) -> int:
    """Find the dollar that ends a formula, skipping dollars inside braces; -1 if there is none."""
    end = text.find("$", start)
    if "{" not in (inside := text[start:end]) and inside[-1:] != "\\":
        return end
    depth = 0
    for match in _BRACE_OR_DOLLAR.finditer(text, start):
        if match["dollar"] and depth <= 0:
            return match.start()
        if brace := match["brace"]:
            depth += 1 if brace == "{" else -1
    return -1


def formula_ends(text: str) -> dict[int, int]:
    """Find for each dollar the one that ends a formula there, skipping dollars inside the formula's braces.

    One pass for all of them: `formula_end` at each dollar takes quadratic time where none is found.
    """
    ends: dict[int, int] = {}
    depth = 0
    unclosed: list[tuple[int, int]] = []  # dollars and their depths, in ascending order of depth
    for match in _BRACE_OR_DOLLAR.finditer(text):
        if match["dollar"]:
            while unclosed and unclosed[-1][1] >= depth:
                ends[unclosed.pop()[0]] = match.start()
            unclosed.append((match.start(), depth))
        elif brace := match["brace"]:
            depth += 1 if brace == "{" else -1
    return ends


def _formula(text: str, opening: re.Match[str], ends: dict[int, int]) -> tuple[str, int] | None:
    """Read the formula after an opening and the position after it; None if it is not a formula."""
    start = opening.end()
    if opening["escaped"]:
        return None
    if opening["dollars"] == "$":
        # If braces do not match, the next dollar is the better guess.
        end, closing = ends.get(opening.start()) or text.find("$", start), "$"
    else:
        environment = opening["environment"]
        closing = opening["dollars"] or _CLOSING_BRACKETS.get(opening["bracket"], rf"\end{{{environment}}}")
        end = text.find(closing, start)
    if end < 0:
        return None
    after = end + len(closing)
    return text[opening.start() : after] if opening["environment"] else text[start:end], after


# TeX's accents → combining characters.
_COMBINING = dict(
    zip(
        "`'^~=u.\"rHvck",
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327\u0328",
        strict=True,
    )
)
_ACCENT = re.compile(
    r"""\\(?P<sign>[`'^~=."])\s*(?:\{\\?(?P<braced>\w)\}|\\?(?P<bare>[^\W_]))"""
    r"|\\(?P<letter>[urHvck])\s*\{(?P<argument>\w)\}"
)

_TEXT_FONTS = "emph|text(?:bf|it|md|normal|rm|sc|sf|sl|tt|up)|underline"
_TEXT_REFERENCES = "label|index|(?:eq|c|C|auto|page)?ref|cite[pt]?"
_TEXT_LAYOUT = "item|par|noindent|(?:small|med|big)skip|newline|centering|qed"

# The order matters: a tie is a space only where it is not the accent of a letter.
_PRINTED = (
    (re.compile(rf"\\(?:{_TEXT_REFERENCES})\*?\s*(?:\[[^\]]*\])*\{{[^{{}}]*\}}"), " "),
    (re.compile(rf"\\(?:begin|end)\s*\{{[^{{}}]*\}}|\\(?:{_TEXT_LAYOUT})(?![A-Za-z])"), " "),
    *2 * [(re.compile(rf"\\(?:{_TEXT_FONTS})\s*\{{([^{{}}]*)\}}"), r"\1")],  # twice, for nested ones
    (re.compile(r"\{\\(?:em|it|bf|rm|sl|sc|sf|tt)\s+([^{}]*)\}"), r"\1"),
    (re.compile(r"~|(?<!\\)\\[ ,;]"), " "),
    (re.compile("``"), "“"),
    (re.compile("''"), "”"),
    (re.compile("---"), "—"),
    (re.compile("--"), "–"),
    (re.compile(r"\\([$%&#_{}])"), r"\1"),
)


def printed_text(tex: str) -> str:
    r"""Turn text outside of formulas into what is printed; unknown commands stay as they are.

    >>> printed_text(r"the \emph{\'etale} site~--- see Lemma~\ref{a}")
    'the étale site — see Lemma  '
    """
    text = _ACCENT.sub(_accented, tex)
    for pattern, replacement in _PRINTED:
        text = pattern.sub(replacement, text)
    return text


def _accented(accent: re.Match[str]) -> str:
    letter = accent["braced"] or accent["bare"] or accent["argument"]
    return unicodedata.normalize("NFC", letter + _COMBINING[accent["sign"] or accent["letter"]])


# Commands that print nothing.
_INVISIBLE = re.compile(
    r"(?:no)?limits|math(?:op|bin|rel|ord|open|close|punct|inner)"
    r"|nonumber|notag|(?:math)?strut|hfill|ensuremath|protect|relax"
)
# Commands that only change size and position.
_FORMULA_LAYOUT = re.compile(r"(?:display|text|script(?:script)?)style|left|right|middle|[bB]igg?[lrm]?")
_RENAMED = {
    "operatorname": r"\mathrm",
    "operatorname*": r"\mathrm",
    "operatornamewithlimits": r"\mathrm",
    "sim": "∼ ",
    "bm": r"\boldsymbol",
    # Macros that nearly all authors define in the same way.
    **{letter: rf"\mathbb{{{letter}}}" for letter in "CNQRZ"},
}
_RENAMED_WITHOUT_LAYOUT = {**_RENAMED, "overline": r"\bar", "underline": r"\bar"}

_COMMAND = re.compile(r"\\(?P<word>operatorname\*|[A-Za-z]+)|\\.", re.DOTALL)

_group = "[^{}]*"
for _ in range(3):  # groups within groups
    _group = rf"(?:[^{{}}]|\{{{_group}\}})*+"
_TEXT_IN_FORMULA = re.compile(
    r"\\(?:text(?P<font>bf|sf|tt)|text(?:it|md|normal|rm|sl|up)?|emph|[mh]box)"
    rf"\s*\{{(?P<inside>{_group})\}}"
)

_BRACE = re.compile("[{}]")

_NOTHING = re.compile(
    rf"\\(?:label|tag\*?)\s*\{{[^{{}}]*\}}|\\(?:{'|'.join(sorted(DIMENSION_COMMANDS))}){DIMENSION.pattern}"
)
_NO_BRACKET = re.compile(r"\\(?:left|right)\s*\.")
# Tables without delimiters of their own; the converter would number their lines or does not know them.
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
    r"""Rewrite a formula, given without dollars, so that its MathML has the leaves that LaTeXML would write.

    Commands that only change size and position are kept for formulas that people look at (`keeps_layout`).

    >>> rewritten(r"\left. \mathrm{Hom}(X, \overline{x}) \right|")
    '  \\textrm{Hom}(X, \\bar{x})  |'
    """
    tex = _TEXT_IN_FORMULA.sub(_text_and_formulas, tex)
    tex = _LINE_BREAK.sub(r"\\\\", _NOTHING.sub(" ", tex))
    tex = _DOTS.sub(r"\\cdots ", _ENVIRONMENT.sub(r"\\\g<end>{matrix}", tex))
    tex = _NEGATED.sub(lambda match: r"\neq " if match["equal"] else r"\notin ", tex)
    tex = _OLD_FONT.sub(r"\\math\1{\2}", tex)
    if not keeps_layout:
        tex = _NO_BRACKET.sub(" ", tex)
    tex = _COMMAND.sub(lambda command: _rewrite_command(command, keeps_layout), tex)
    return _NAME.sub(r"\\text\g<font>{\g<name>}", tex)


def _text_and_formulas(match: re.Match[str]) -> str:
    """Move the formulas inside a text out of it."""
    command = rf"\text{match['font'] or ''}"
    pieces = match["inside"].split("$")
    return "".join(
        f" {piece} " if place % 2 else f"{command}{{{_BRACE.sub('', printed_text(piece))}}}"
        for place, piece in enumerate(pieces)
        if piece
    )


def _rewrite_command(command: re.Match[str], keeps_layout: bool) -> str:
    word = command["word"]
    if word and (_INVISIBLE.fullmatch(word) or (not keeps_layout and _FORMULA_LAYOUT.fullmatch(word))):
        return " "
    return (_RENAMED if keeps_layout else _RENAMED_WITHOUT_LAYOUT).get(word, command[0])
