"""The linearizer: any string is a list of typed tokens, or a `ValueError` in one sentence."""

import re
from functools import cache
from pathlib import Path
from random import Random

from proofmatch.builder.linearization.fonts import MATHVARIANTS
from proofmatch.builder.linearization.formulas import math_tokens
from proofmatch.builder.linearization.presentation import CONTENT_ELEMENTS
from proofmatch.builder.sample import sample_articles
from proofmatch.builder.tokens import MATH, parse_token
from tests.fuzz.mutations import ANY_BYTES, MARKUP, damaged
from tests.fuzz.targets import check

MEGABYTES = 600  # a Java program in a library, with a heap of its own

_MATH = re.compile(r"<(m:)?math\b.*?</\1math>", re.DOTALL)
_CONTAINERS = (
    *("mrow", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
    *("mstyle", "mfenced", "menclose", "mtable", "mtr", "mtd", "mpadded", "mphantom", "merror", "maction"),
    *("semantics", "annotation", "annotation-xml", "mmultiscripts", "mprescripts", "none", "unknown", "math"),
)
_LEAVES = ("mi", "mn", "mo", "mtext", "ms", "mspace", "ci", "cn", "csymbol", "cs")
_CONTENT = sorted(CONTENT_ELEMENTS)
_SURFACES = (
    "x",
    "X",
    "12",
    "+",
    "𝐱",
    "ℝ",
    "𝒪",
    "",
    " ",
    "a b",
    "&alpha;",
    "&#x2062;",
    "ﬁ",
    "\u200b",
    "é",
    "::",
)
_ATTRIBUTES = (
    *(("mathvariant", name) for name in sorted(MATHVARIANTS)),
    *(
        ("class", "ltx_font_bold"),
        ("class", "ltx_font_mathcaligraphic ltx_font_bold"),
        ("open", "["),
        ("close", ""),
    ),
    *(
        ("separators", ";,"),
        ("encoding", "application/x-tex"),
        ("encoding", "MathML-Content"),
        ("type", "rational"),
    ),
    *(
        ("base", "16"),
        ("cd", "arith1"),
        ("definitionURL", "x"),
        ("order", "3"),
        ("closure", "open"),
        ("href", "#a"),
    ),
    *(("xml:id", "a"), ("type", "complex-cartesian"), ("alttext", "x%\n y"), ("mathvariant", "wrong")),
)


@cache
def seeds() -> tuple[str, ...]:
    """Formulas of the sample, not too many of the same kind."""
    found = {
        match[0]: None
        for path in sorted(sample_articles().iterdir())
        for match in list(_MATH.finditer(path.read_text(encoding="utf-8")))[::3]
    }
    return tuple(formula for formula in found if len(formula) < 20_000)


def make(chance: Random) -> str:
    if chance.random() < 0.4:
        prefix, depth = chance.choice(("", "", "m:")), chance.choice((2, 4, 8))
        inside = "".join(_element(chance, depth, prefix) for _ in range(chance.randrange(1, 4)))
        namespace = chance.choice(("", ' xmlns="http://www.w3.org/1998/Math/MathML"', ' xmlns="urn:x"'))
        text = f"<{prefix}math{namespace}>{inside}</{prefix}math>"
        if chance.random() < 0.7:
            return text
    else:
        text = chance.choice(seeds())
    data = damaged(text.encode(), chance, (*MARKUP, *MARKUP, *ANY_BYTES))
    return data.decode("utf-8", chance.choice(("replace", "surrogateescape")))


def _element(chance: Random, depth: int, prefix: str) -> str:
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in dict(chance.sample(_ATTRIBUTES, chance.choice((0, 0, 1, 2)))).items()
    )
    if depth == 0 or chance.random() < 0.3:
        name = prefix + chance.choice((*_LEAVES, *chance.sample(_CONTENT, 3)))
        if chance.random() < 0.2:
            return f"<{name}{attributes}/>"
        inside = chance.choice(_SURFACES) + chance.choice(
            ("", "", "", f"<{prefix}sep/>1", "<b>x</b>", "<!-- x -->")
        )
        return f"<{name}{attributes}>{inside}</{name}>"
    name = prefix + chance.choice((*_CONTAINERS, *["apply"] * 12, "bind", *chance.sample(_CONTENT, 12)))
    children = "".join(_element(chance, depth - 1, prefix) for _ in range(chance.choice((0, 1, 2, 2, 3, 5))))
    return f"<{name}{attributes}>{children}</{name}>"


def run(formula: str, _folder: Path) -> str:
    try:
        tokens = math_tokens(formula)
    except ValueError as error:
        check("\n" not in str(error), f"a message of several lines: {str(error)[:300]!r}")
        return "refused"
    check(isinstance(tokens, list), "not a list")
    check(" ".join(tokens).split() == tokens, f"white space in a token: {tokens!r}")
    for token in tokens:
        parsed = parse_token(token)
        check(parsed.kind == MATH, f"a token of text: {token!r}")
        check(parsed.font is None or parsed.font in MATHVARIANTS, f"an unknown font: {token!r}")
        token.encode()
    return "tokens" if tokens else "no tokens"
