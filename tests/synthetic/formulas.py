"""Random formulas of a given number of leaves, in presentation MathML, TeX and content MathML at once.

Trees of each size are made once per markup, with a gap for each letter. To write a formula, a tree is chosen
and its gaps are filled.
"""

from functools import cache
from random import Random
from typing import NamedTuple

LARGEST = 24  # leaves
_TREES_PER_SIZE = 14
_REFERENCE = ' xref="S1.p1.m1.1.cmml"'  # joins presentation and content in parallel markup
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'

# Sign, TeX, content element.
_OPERATORS = (
    ("=", "=", "<eq/>"),
    ("∈", r"\in ", "<in/>"),
    ("+", "+", "<plus/>"),
    ("−", "-", "<minus/>"),
    ("≤", r"\leq ", "<leq/>"),
    ("⊂", r"\subset ", "<subset/>"),
    ("→", r"\to ", "<ci>→</ci>"),
    ("⊗", r"\otimes ", '<csymbol cd="latexml">tensor-product</csymbol>'),
    ("∘", r"\circ ", "<compose/>"),
    (",", ",", '<csymbol cd="ambiguous">formulae-sequence</csymbol>'),
)
_LATIN = "xynkfgabcdtuvwpqrsmhijlzABCDEFGHKLMNPQRSTUVWXYZ"
_GREEK = "αβγδελμπρστφψωθ"
_GREEK_NAMES = "alpha beta gamma delta epsilon lambda mu pi rho sigma tau phi psi omega theta"
_DOUBLE_STRUCK = dict(zip("RCZQNP", "ℝℂℤℚℕℙ", strict=True))
# Font → code points of its capital and small A, TeX command, letters.
_FONTS = {
    "bold": (0x1D400, 0x1D41A, "mathbf", "xyzuvwABEFXP"),
    "script": (0x1D49C, 0, "mathcal", "ACDGJKNOPQSTUVWXYZ"),
    "fraktur": (0x1D504, 0x1D51E, "mathfrak", "ABDEFGJKLMNOPQSTUVWXYabcdefghmnpqrs"),
}


class Symbol(NamedTuple):
    """A letter, the character of its own font, the font's name in MathML, and its TeX."""

    letter: str
    styled: str
    font: str | None
    tex: str


class Tree(NamedTuple):
    """A formula in three languages, with `%s` for each letter from left to right."""

    presentation: str
    tex: str
    content: str
    letters: int


@cache
def symbols() -> list[Symbol]:
    """List all letters, the most usual first."""
    found = [Symbol(letter, letter, None, letter) for letter in _LATIN]
    found += [
        Symbol(letter, letter, None, f"\\{name} ")
        for letter, name in zip(_GREEK, _GREEK_NAMES.split(), strict=True)
    ]
    found += [Symbol(r, s, "double-struck", rf"\mathbb{{{r}}}") for r, s in _DOUBLE_STRUCK.items()]
    for font, (capital, small, command, letters) in _FONTS.items():
        for letter in letters:
            styled = chr(capital + ord(letter) - 65 if letter.isupper() else small + ord(letter) - 97)
            found.append(Symbol(letter, styled, font, rf"\{command}{{{letter}}}"))
    return found


def draw_letters(random: Random, number: int) -> list[int]:
    """Draw different letters by their numbers, usual ones more often."""
    drawn: dict[int, None] = {}
    while len(drawn) < number:
        drawn[int(len(symbols()) * random.random() ** 1.8)] = None
    return list(drawn)


def draw_size(random: Random) -> int:
    """Draw the number of leaves of a formula; single letters are the most frequent."""
    draw = random.random()
    return 1 if draw < 0.3 else 2 + int(draw * random.random() ** 2 * (LARGEST - 1))


class Formulas:
    """Writes formulas in one markup.

    Args:
        prefix: Of MathML's elements, such as `m:`.
        has_content: Whether content MathML stands beside presentation.
        styles_letters: Whether fonts are characters of their own instead of `mathvariant` attributes.
        has_namespace: Whether each formula declares MathML's namespace.
    """

    def __init__(self, prefix: str, *, has_content: bool, styles_letters: bool, has_namespace: bool) -> None:
        self._prefix = prefix
        self._has_content = has_content
        self._random = Random("formulas")  # noqa: S311 - the same trees in every markup
        self._trees = [
            [self._element(self._grow(size), has_namespace) for _ in range(_TREES_PER_SIZE)]
            for size in range(1, LARGEST + 1)
        ]
        self._letters = [
            (symbol.tex, self._letter(symbol, styles_letters), f"<ci>{symbol.styled}</ci>")
            for symbol in symbols()
        ]

    def write(self, random: Random, size: int, letters: list[int]) -> str:
        """Write a formula with so many leaves and some of these letters."""
        markup, number = random.choice(self._trees[size - 1])
        chosen = [self._letters[random.choice(letters)] for _ in range(number)]
        tex, shown, meant = zip(*chosen, strict=True) if chosen else ((), (), ())
        return markup % (*tex, *shown, *(meant if self._has_content else ()), *tex)

    def _letter(self, symbol: Symbol, styles_letters: bool) -> str:
        if symbol.font is None or styles_letters:
            return self._mark("mi", symbol.styled)
        return f'<{self._prefix}mi mathvariant="{symbol.font}">{symbol.letter}</{self._prefix}mi>'

    def _element(self, tree: Tree, has_namespace: bool) -> tuple[str, int]:
        p = self._prefix
        content = f'<{p}annotation-xml encoding="MathML-Content">{tree.content}</{p}annotation-xml>'
        markup = (
            f'<{p}math{_NAMESPACE * has_namespace} class="ltx_Math" alttext="{tree.tex}" display="inline">'
            f"<{p}semantics>{tree.presentation}{content * self._has_content}"
            f'<{p}annotation encoding="application/x-tex">{tree.tex}</{p}annotation></{p}semantics></{p}math>'
        )
        return markup, tree.letters

    def _mark(self, name: str, inside: str) -> str:
        return f"<{self._prefix}{name}{_REFERENCE * self._has_content}>{inside}</{self._prefix}{name}>"

    def _grow(self, size: int) -> Tree:
        random = self._random
        if size == 1:
            if random.random() < 0.15:
                digit = str(random.randint(0, 4))
                return Tree(self._mark("mn", digit), digit, f"<cn>{digit}</cn>", 0)
            return Tree("%s", "%s", "%s", 1)
        draw = random.random()
        if size == 2 or draw < 0.15:
            return self._script(size)
        if draw < 0.25:
            return self._fraction(size)
        if size >= 5 and draw < 0.45:
            return self._application(size)
        if size >= 7 and draw < 0.55:
            return self._sum(size)
        before = random.randint(1, size - 2)
        left, right = self._grow(before), self._grow(size - 1 - before)
        sign, tex, meaning = random.choice(_OPERATORS)
        return Tree(
            self._mark("mrow", left.presentation + self._mark("mo", sign) + right.presentation),
            f"{left.tex}{tex}{right.tex}",
            f"<apply>{meaning}{left.content}{right.content}</apply>",
            left.letters + right.letters,
        )

    def _script(self, size: int) -> Tree:
        base, script = self._grow(1), self._grow(size - 1)
        name, sign, meaning = self._random.choice((("msub", "_", "subscript"), ("msup", "^", "superscript")))
        return Tree(
            self._mark(name, base.presentation + self._row(script.presentation, size - 1)),
            f"{base.tex}{sign}{{{script.tex}}}",
            f'<apply><csymbol cd="ambiguous">{meaning}</csymbol>{base.content}{script.content}</apply>',
            base.letters + script.letters,
        )

    def _fraction(self, size: int) -> Tree:
        above = self._random.randint(1, size - 1)
        top, bottom = self._grow(above), self._grow(size - above)
        rows = self._row(top.presentation, above) + self._row(bottom.presentation, size - above)
        return Tree(
            self._mark("mfrac", rows),
            rf"\frac{{{top.tex}}}{{{bottom.tex}}}",
            f"<apply><divide/>{top.content}{bottom.content}</apply>",
            top.letters + bottom.letters,
        )

    def _application(self, size: int) -> Tree:
        function, argument = self._grow(1), self._grow(size - 4)
        inside = self._mark("mo", "(") + argument.presentation + self._mark("mo", ")")
        times = self._mark("mo", "\u2062")
        return Tree(
            self._mark("mrow", function.presentation + times + self._mark("mrow", inside)),
            f"{function.tex}({argument.tex})",
            f"<apply><times/>{function.content}{argument.content}</apply>",
            function.letters + argument.letters,
        )

    def _sum(self, size: int) -> Tree:
        index, bound, body = self._grow(1), self._grow(1), self._grow(size - 5)
        start = self._mark("mrow", index.presentation + self._mark("mo", "=") + self._mark("mn", "1"))
        sign = self._mark("munderover", self._mark("mo", "∑") + start + bound.presentation)
        return Tree(
            self._mark("mrow", sign + body.presentation),
            rf"\sum_{{{index.tex}=1}}^{{{bound.tex}}}{body.tex}",
            f"<apply><sum/><bvar>{index.content}</bvar><uplimit>{bound.content}</uplimit>{body.content}</apply>",
            index.letters + bound.letters + body.letters,
        )

    def _row(self, inside: str, size: int) -> str:
        return self._mark("mrow", inside) if size > 1 else inside
