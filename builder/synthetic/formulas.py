"""Formulas of every size, as trees whose letters are filled in later.

Trees are grown once, some of each size, and written in the markup of a generation with a gap for each letter.
To write a formula then is to choose a tree and to fill its gaps.
"""

from dataclasses import dataclass
from functools import cache
from random import Random

from .generations import Generation
from .symbols import symbols
from .trees import LARGEST, Written, grow_trees


@dataclass(frozen=True, slots=True)
class Formulas:
    """All trees in the markup of one generation.

    Attributes:
        by_size: Number of leaves → the trees of that size: markup with gaps, and how many letters it takes.
        presentation: Every letter in presentation markup.
        tex: In TeX.
        content: In content markup, if the generation has it.
        has_content: Whether it does.
    """

    by_size: tuple[tuple[tuple[str, int], ...], ...]
    presentation: tuple[str, ...]
    tex: tuple[str, ...]
    content: tuple[str, ...]
    has_content: bool

    def write(self, random: Random, size: int, letters: list[int]) -> str:
        """Write a formula with so many leaves, with some of these letters."""
        trees = self.by_size[size]
        markup, number = trees[int(random.random() * len(trees))]
        chosen = [letters[int(random.random() * len(letters))] for _ in range(number)]
        tex = [self.tex[letter] for letter in chosen]
        shown = [self.presentation[letter] for letter in chosen]
        meant = [self.content[letter] for letter in chosen] if self.has_content else []
        return markup % (*tex, *shown, *meant, *tex)


@cache
def formulas_of(generation: Generation) -> Formulas:
    """Write all trees in the markup of a generation."""
    return Formulas(
        by_size=tuple(
            tuple((_element(generation, tree), tree.letters) for tree in trees)
            for trees in grow_trees(generation.prefix, generation.has_content)
        ),
        presentation=tuple(map(generation.letter, symbols())),
        tex=tuple(symbol.tex for symbol in symbols()),
        content=tuple(f"<ci>{symbol.styled}</ci>" for symbol in symbols()),
        has_content=generation.has_content,
    )


def draw_size(random: Random) -> int:
    """Draw the size of a formula; single letters are the most frequent."""
    draw = random.random()
    return 1 if draw < 0.3 else 2 + int(draw * random.random() ** 2 * (LARGEST - 1))


def _element(generation: Generation, tree: Written) -> str:
    p = generation.prefix
    annotation = (
        f'<{p}annotation-xml encoding="MathML-Content">{tree.content}</{p}annotation-xml>'
        if generation.has_content
        else ""
    )
    return (
        f'<{p}math{generation.math_namespace} class="ltx_Math" alttext="{tree.tex}" display="inline">'
        f"<{p}semantics>{tree.presentation}{annotation}"
        f'<{p}annotation encoding="application/x-tex">{tree.tex}</{p}annotation></{p}semantics></{p}math>'
    )
