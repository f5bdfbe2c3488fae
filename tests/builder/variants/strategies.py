"""Random letters, tokens, TeX and proofs."""

from hypothesis import strategies as st

from proofmatch.builder.records import BLOCK_BREAK, Formula, Length, Passage
from proofmatch.builder.variants.letters import ALPHABETS, UPPER_CASE, VARIABLE_OF

LETTERS = st.sampled_from(sorted(VARIABLE_OF))
FONTS = st.sampled_from(["", ".bold", ".script", ".fraktur", ".sans-serif", ".bold-italic"])
VARIABLES = st.builds(lambda font, letter: f"m{font}:{letter}", FONTS, LETTERS)
OTHER_SYMBOLS = st.sampled_from(
    [
        "m.double-struck:R",
        "m.double-struck:x",
        "m:Hom",
        "m:sin",
        "m:2",
        "m:+",
        "m::",
        "m:(",
        "m:∑",
        "m:ο",
        "m:Ε",
    ]
)
WORDS = st.sampled_from(["Let", "a", "x", "be", "non-zero", ",", ".", "(", "$", "\\", "é", "2.1", "I", "α"])
MATH = st.one_of(VARIABLES, VARIABLES, OTHER_SYMBOLS)
TOKENS = st.lists(st.one_of(MATH, WORDS.map("t:{}".format)), max_size=30)


def permutations() -> st.SearchStrategy[dict[str, str]]:
    """Permutations of all variables within alphabets, those with an upper case among themselves."""
    classes = [
        [letter for letter in alphabet if (letter in UPPER_CASE) == has_upper]
        for alphabet in ALPHABETS
        for has_upper in (True, False)
    ]
    return st.tuples(*map(st.permutations, classes)).map(
        lambda new: {
            a: b for old, names in zip(classes, new, strict=True) for a, b in zip(old, names, strict=True)
        }
    )


_ATOMS = st.sampled_from(
    [
        *"xyXdlRqα∑𝐱ℓ𝓡ℝ+=_^&~",
        "\\alpha ",
        "\\Gamma ",
        "\\varGamma ",
        "\\varphi ",
        "\\phi ",
        "\\ell ",
        "\\Re ",
        "\\Im+",
        "\\sum ",
        "\\{",
        "\\}",
        "\\$",
        "\\\\[3pt] ",
        "\\,",
        "\\left(",
        "\\mathbb R",
        "\\mathbb{R}",
        "\\mathfrak R",
        "\\text{ for all }",
        "\\text{d}",
        "\\label{eq:x}",
        "\\kern 3pt ",
        "{\\mathscr{{q}}}",
        "{\\mathscr{{l}}}",
        "{\\mathfrak{{R}}}",
        "{\\mathfrak{{I}}}x",
        "\\begin{array}[t]{cr}x&y\\end{array}",
    ]
)


def _groups(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    joined = st.lists(inner, max_size=4).map("".join)
    wrapped = st.sampled_from(
        ["{%s}", "\\frac{%s}{x}", "\\mathrm{%s}", "\\mathbb{%s}", "\\text{if $%s$ then}"]
    )
    return st.builds(lambda around, inside: around.replace("%s", inside), wrapped, joined)


TEX = st.lists(st.recursive(_ATOMS, _groups, max_leaves=6), max_size=6).map("".join)

# A `$` would end the formula, and a formula in TeX has tokens that here need not belong to it.
_FORMULAS = st.builds(
    lambda tokens, tex: Formula(" ".join(tokens), tex), st.lists(MATH, max_size=6), st.none() | TEX
)
_STRETCHES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
_GAPS = st.sampled_from(["", " ", BLOCK_BREAK, "\u200b"])


@st.composite
def passages(draw: st.DrawFn, formulas: st.SearchStrategy[Formula] = _FORMULAS) -> Passage:
    """Passages of text and formulas, with and without TeX, with and without space between."""
    segments = []
    for segment in draw(st.lists(st.one_of(formulas, _STRETCHES), max_size=8)):
        segments += [draw(_GAPS), segment]
    return Passage(tuple(segments), Length(0, 0))
