"""Formulas as trees, written in three languages at once, with a gap for each letter."""

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

LARGEST = 24  # leaves of a formula
_TREES_OF_A_SIZE = 14
_INVISIBLE_TIMES = "\u2062"
REFERENCE = ' xref="S1.p1.m1.1.cmml"'  # joins presentation and content, in parallel markup

# Sign, TeX, and the element of content markup.
_OPERATORS = (
    ("=", "=", "<eq/>"),
    ("∈", r"\in ", "<in/>"),
    ("+", "+", "<plus/>"),
    ("−", "-", "<minus/>"),
    ("≤", r"\leq ", "<leq/>"),
    ("⊂", r"\subset ", "<subset/>"),
    ("→", r"\to ", "<ci>→</ci>"),
    ("≅", r"\cong ", "<approx/>"),
    ("⊗", r"\otimes ", '<csymbol cd="latexml">tensor-product</csymbol>'),
    ("∘", r"\circ ", "<compose/>"),
    (",", ",", '<csymbol cd="ambiguous">formulae-sequence</csymbol>'),
)


class Written(NamedTuple):
    """A tree in three languages, with `%s` for each letter, from left to right."""

    presentation: str
    tex: str
    content: str
    letters: int


def grow_trees(prefix: str, has_content: bool) -> list[list[Written]]:
    """Grow some trees of each size, the same in every markup.

    Args:
        prefix: Of MathML's elements.
        has_content: Whether presentation refers to content.
    """
    random = Random("formulas")  # noqa: S311 - nothing to hide
    gardener = _Gardener(random, prefix, REFERENCE if has_content else "")
    sizes = range(1, LARGEST + 1)
    return [[], *([gardener.grow(size) for _ in range(_TREES_OF_A_SIZE)] for size in sizes)]


@dataclass(frozen=True, slots=True)
class _Gardener:
    random: Random
    prefix: str
    reference: str  # attribute of all elements

    def grow(self, size: int) -> Written:
        """Grow a tree with so many leaves."""
        if size == 1:
            if self.random.random() < 0.15:
                digit = str(self.random.randint(0, 4))
                return Written(self._mark("mn", digit), digit, f"<cn>{digit}</cn>", 0)
            return Written("%s", "%s", "%s", 1)
        draw = self.random.random()
        if size == 2 or draw < 0.15:
            return self._script(size)
        if draw < 0.25:
            return self._fraction(size)
        if size >= 5 and draw < 0.45:
            return self._application(size)
        if size >= 7 and draw < 0.55:
            return self._sum(size)
        return self._operation(size)

    def _mark(self, name: str, inside: str) -> str:
        return f"<{self.prefix}{name}{self.reference}>{inside}</{self.prefix}{name}>"

    def _script(self, size: int) -> Written:
        base, script = self.grow(1), self.grow(size - 1)
        name, sign, meaning = self.random.choice((("msub", "_", "subscript"), ("msup", "^", "superscript")))
        return Written(
            self._mark(name, base.presentation + self._row(script.presentation, size - 1)),
            f"{base.tex}{sign}{{{script.tex}}}",
            f'<apply><csymbol cd="ambiguous">{meaning}</csymbol>{base.content}{script.content}</apply>',
            base.letters + script.letters,
        )

    def _fraction(self, size: int) -> Written:
        above = self.random.randint(1, size - 1)
        top, bottom = self.grow(above), self.grow(size - above)
        return Written(
            self._mark(
                "mfrac", self._row(top.presentation, above) + self._row(bottom.presentation, size - above)
            ),
            rf"\frac{{{top.tex}}}{{{bottom.tex}}}",
            f"<apply><divide/>{top.content}{bottom.content}</apply>",
            top.letters + bottom.letters,
        )

    def _application(self, size: int) -> Written:
        function, argument = self.grow(1), self.grow(size - 4)
        fence = f'<{self.prefix}mo stretchy="false"{self.reference}>%s</{self.prefix}mo>'
        inside = fence.replace("%s", "(") + argument.presentation + fence.replace("%s", ")")
        times = self._mark("mo", _INVISIBLE_TIMES)
        return Written(
            self._mark("mrow", function.presentation + times + self._mark("mrow", inside)),
            f"{function.tex}({argument.tex})",
            f"<apply><times/>{function.content}{argument.content}</apply>",
            function.letters + argument.letters,
        )

    def _sum(self, size: int) -> Written:
        index, bound, body = self.grow(1), self.grow(1), self.grow(size - 5)
        start = self._mark("mrow", index.presentation + self._mark("mo", "=") + self._mark("mn", "1"))
        sign = self._mark("munderover", self._mark("mo", "∑") + start + bound.presentation)
        return Written(
            self._mark("mrow", sign + body.presentation),
            rf"\sum_{{{index.tex}=1}}^{{{bound.tex}}}{body.tex}",
            f"<apply><sum/><bvar>{index.content}</bvar><uplimit>{bound.content}</uplimit>{body.content}</apply>",
            index.letters + bound.letters + body.letters,
        )

    def _operation(self, size: int) -> Written:
        before = self.random.randint(1, size - 2)
        left, right = self.grow(before), self.grow(size - 1 - before)
        sign, tex, meaning = self.random.choice(_OPERATORS)
        return Written(
            self._mark("mrow", left.presentation + self._mark("mo", sign) + right.presentation),
            f"{left.tex}{tex}{right.tex}",
            f"<apply>{meaning}{left.content}{right.content}</apply>",
            left.letters + right.letters,
        )

    def _row(self, inside: str, size: int) -> str:
        return self._mark("mrow", inside) if size > 1 else inside
