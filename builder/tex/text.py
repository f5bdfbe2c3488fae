"""Text as people type it in TeX → text as it is printed."""

import re
import unicodedata

# TeX's accents and the characters that combine with a letter.
_COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "c": "\u0327",
    "k": "\u0328",
}
_ACCENT = re.compile(
    r"""\\(?P<sign>[`'^~=."])\s*(?:\{\\?(?P<braced>\w)\}|\\?(?P<bare>[^\W_]))"""
    r"|\\(?P<letter>[urHvck])\s*\{(?P<argument>\w)\}"
)

_FONTS = "emph|text(?:bf|it|md|normal|rm|sc|sf|sl|tt|up)|underline"
_REFERENCES = "label|index|(?:eq|c|C|auto|page)?ref|cite[pt]?"
_LAYOUT = "item|par|noindent|(?:small|med|big)skip|newline|centering|qed"

# In this order: a tie is a space only where it is not the accent of a letter.
_PRINTED = (
    (re.compile(rf"\\(?:{_REFERENCES})\*?\s*(?:\[[^\]]*\])*\{{[^{{}}]*\}}"), " "),
    (re.compile(rf"\\(?:begin|end)\s*\{{[^{{}}]*\}}|\\(?:{_LAYOUT})(?![A-Za-z])"), " "),
    *2 * [(re.compile(rf"\\(?:{_FONTS})\s*\{{([^{{}}]*)\}}"), r"\1")],  # also one within another
    (re.compile(r"\{\\(?:em|it|bf|rm|sl|sc|sf|tt)\s+([^{}]*)\}"), r"\1"),
    (re.compile(r"~|(?<!\\)\\[ ,;]"), " "),
    (re.compile("``"), "“"),
    (re.compile("''"), "”"),
    (re.compile("---"), "—"),
    (re.compile("--"), "–"),
    (re.compile(r"\\([$%&#_{}])"), r"\1"),
)


def printed_text(tex: str) -> str:
    r"""Give text outside of formulas as it is printed; commands that are not known stay as they are.

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
