"""The letters of formulas, plain, Greek and in special fonts, as each kind of markup writes them."""

from dataclasses import dataclass
from functools import cache
from random import Random


@dataclass(frozen=True, slots=True)
class Symbol:
    """A letter.

    Attributes:
        letter: The plain letter.
        styled: The letter as a character of its own font, the same if that is the usual italic.
        font: MathML's name of the font, none for the usual italic.
        tex: As TeX writes it.
    """

    letter: str
    styled: str
    font: str | None
    tex: str


_LATIN = "xynkfgabcdtuvwpqrsmhijlzABCDEFGHKLMNPQRSTUVWXYZ"
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "λ": "lambda", "μ": "mu",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ψ": "psi", "ω": "omega", "θ": "theta",
}  # fmt: skip
# Where the capital and the small A of a font are, and its name in TeX.
_FONTS = {
    "bold": (0x1D400, 0x1D41A, "mathbf"),
    "script": (0x1D49C, None, "mathcal"),
    "fraktur": (0x1D504, 0x1D51E, "mathfrak"),
}
_FONT_LETTERS = {
    "bold": "xyzuvwABEFXP",
    "script": "ACDGJKNOPQSTUVWXYZ",
    "fraktur": "ABDEFGJKLMNOPQSTUVWXYabcdefghmnpqrs",
}
_DOUBLE_STRUCK = {"R": "ℝ", "C": "ℂ", "Z": "ℤ", "Q": "ℚ", "N": "ℕ", "P": "ℙ"}


@cache
def symbols() -> tuple[Symbol, ...]:
    """List all letters, usual ones first."""
    found = [Symbol(letter, letter, None, letter) for letter in _LATIN]
    found += [Symbol(letter, letter, None, f"\\{name} ") for letter, name in _GREEK.items()]
    found += [Symbol(r, s, "double-struck", rf"\mathbb{{{r}}}") for r, s in _DOUBLE_STRUCK.items()]
    for font, (capital, small, command) in _FONTS.items():
        for letter in _FONT_LETTERS[font]:
            start = capital if letter.isupper() else small
            if start is not None:
                styled = chr(start + ord(letter) - ord("A" if letter.isupper() else "a"))
                found.append(Symbol(letter, styled, font, rf"\{command}{{{letter}}}"))
    return tuple(found)


def draw_symbols(random: Random, number: int) -> list[int]:
    """Draw different letters, by their numbers; the first ones of the list more often than the last."""
    size = len(symbols())
    drawn: dict[int, None] = {}
    while len(drawn) < number:
        drawn[int(size * random.random() ** 1.8)] = None
    return list(drawn)
