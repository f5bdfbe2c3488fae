"""A formula in TeX → typed tokens, by way of MathML."""

import re
from html import unescape
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element

from ...builder.linearization.formulas import math_tokens
from ...builder.tex import rewritten
from ...builder.tokens import MATH, math_token
from .invisible import add_invisible_operators

# What is left of a formula that cannot be converted: commands, numbers and characters, without structure.
_ATOM = re.compile(r"\\[A-Za-z]+|\\[{}|]|\d+(?:\.\d+)?|[^\s\\{}$&_^~%]")

# Where the converter chooses another character than LaTeXML.
_AS_LATEXML = {
    "‖": "∥",
    "•": "∙",
    "·": "⋅",
    "⧵": "∖",
    "⤳": "↝",
    "⨿": "∐",
    "″": "′′",
    "‴": "′′′",
    "⁗": "′′′′",
}
_PRIMES = re.compile(rf"(?<={MATH}:)′+(?: {MATH}:′+)+(?= |$)")


def formula_tokens(tex: str, *, invisible_operators: bool = False) -> list[str]:
    """Linearize a formula.

    Args:
        tex: Without the dollars around it. What is no TeX is read character by character.
        invisible_operators: Whether to put signs between factors that stand side by side.
    """
    plain = rewritten(tex)
    try:
        tokens = _converted(plain, invisible_operators)
    except Exception:  # the converter raises whatever comes to it, and half a formula is better than none
        tokens = [token for atom in _ATOM.findall(plain) for token in _atom_tokens(atom)]
    joined = _PRIMES.sub(lambda primes: primes[0].replace(f" {MATH}:", ""), " ".join(tokens))
    return joined.split()


def _atom_tokens(atom: str) -> list[str]:
    try:
        return _converted(atom)
    except Exception:  # as above
        return [math_token(atom.removeprefix("\\"))]


def _converted(tex: str, invisible_operators: bool = False) -> list[str]:
    if not tex.strip():
        return []
    formula = convert_to_element(tex)
    for element in formula.iter():
        element.text = _surface(element)
    if invisible_operators:
        add_invisible_operators(formula)
    return math_tokens(tostring(formula, encoding="unicode"))


def _surface(leaf: Element) -> str | None:
    """Give the text of a leaf, whose characters the converter writes as entities."""
    if not leaf.text:
        return None
    text = unescape(leaf.text)
    if re.fullmatch(r"\\[A-Za-z]+", text):
        return text[1:]  # a macro of the author: \Spec is printed as Spec
    return _AS_LATEXML.get(text, text)
