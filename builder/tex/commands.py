"""TeX commands whose arguments are no formulas, or may be one name of several letters."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Double-struck letters are the names of fixed sets (ℝ, ℕ), not of variables.
_DOUBLE_STRUCK = _words("mathbb Bbb mathds mathbbm mathbbmss mathbbmtt mathbbb varmathbb")

_REFERENCES_AND_LOOKS = _words(
    "label ref eqref pageref autoref cref Cref nameref cite citep citet tag href url end cline hdotsfor "
    "hspace vspace raisebox scalebox rotatebox parbox includegraphics color textcolor colorbox class cssId "
    "style"
)

# Command → number of its first arguments that contain no formula.
UNTOUCHED_ARGUMENTS = {
    **dict.fromkeys(_DOUBLE_STRUCK | _REFERENCES_AND_LOOKS, 1),
    **dict.fromkeys(_words("rule multicolumn fontsize fcolorbox resizebox setlength"), 2),
    "definecolor": 3,
    "genfrac": 4,
}

# Their argument is text, in which `$` begins a formula.
TEXT = _words(
    "text textrm textnormal textup textit textbf textsf texttt textsc textsl textmd emph mbox hbox fbox "
    "makebox framebox intertext shortintertext footnote"
)

# Their argument may be the name of one operator.
FONTS = _words(
    "operatorname operatornamewithlimits mathop mathord mathrm mathsf mathit mathbf mathtt mathnormal mathup "
    "mathcal mathscr mathfrak mathbfit mathbold boldsymbol bm pmb bold symrm symbf symsf symit symtt"
)

# They change the font of what follows.
DECLARATIONS = _words("rm it bf sf tt sl sc mit cal rmfamily sffamily ttfamily bfseries itshape")

# A dimension follows them.
DIMENSIONED = _words("kern hskip vskip mkern mskip hglue raise lower moveleft moveright")

_LENGTH = r"[-+]?\s*(?:\d+(?:[.,]\d*)?|[.,]\d+)\s*(?:true\s*)?(?:pt|em|ex|mu|cm|mm|in|pc|bp|dd|cc|sp|fil+)"
DIMENSION = re.compile(rf"\s*=?\s*{_LENGTH}(?:\s*(?:plus|minus)\s*{_LENGTH})*")
DIMENSION_OF_BOX = re.compile(rf"\s*(?:to|spread)\s*{_LENGTH}")
DIMENSION_OF_LINE_BREAK = re.compile(rf"\*?\s*\[\s*{_LENGTH}\s*\]")

# An environment, with its place; in some the columns follow, or their number.
BEGIN = re.compile(
    r"\s*\{(?:(?:array|tabular|darray|subarray|(?:x?x?alignat|alignedat)\*?)\}(?:\s*\[[a-z]\])?(?P<columns>)"
    r"|(?:aligned|gathered|multlined|[bBpvV]?(?:small)?matrix\*)\}(?:\s*\[[a-z]\])?"
    r"|[A-Za-z]*\*?\})"
)
