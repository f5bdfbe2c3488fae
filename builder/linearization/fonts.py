"""One name per font, for all three encodings that sources use.

A bold x is `<mi mathvariant="bold">x</mi>`, or the character 𝐱, or LaTeXML's `class="ltx_font_bold"`.
All three give the surface `x` and the font `bold`. Italic is the default of formulas and `normal`
means upright, so neither is marked.
"""

import unicodedata
from collections.abc import Set
from functools import cache, lru_cache

UNMARKED = frozenset({"normal", "italic"})

_MATHVARIANTS = """
    normal italic bold bold-italic double-struck script bold-script fraktur bold-fraktur
    sans-serif bold-sans-serif sans-serif-italic sans-serif-bold-italic monospace
    initial tailed looped stretched
"""
MATHVARIANTS = frozenset(_MATHVARIANTS.split())

# LaTeXML's font classes that MathML names differently, without their prefix. Several on one symbol add up.
_CLASS_PREFIXES = ("ltx_font_", "ltx_mathvariant_")
_CLASS_FONTS = {
    "mathcaligraphic": "script",
    "mathscript": "script",
    "caligraphic": "script",
    "blackboard": "double-struck",
    "doublestruck": "double-struck",
    "sansserif": "sans-serif",
    "typewriter": "monospace",
    "slanted": "italic",
}

# Several fonts on one symbol.
_COMBINED = {
    frozenset({"bold", "italic"}): "bold-italic",
    frozenset({"bold", "script"}): "bold-script",
    frozenset({"bold", "fraktur"}): "bold-fraktur",
    frozenset({"bold", "sans-serif"}): "bold-sans-serif",
    frozenset({"italic", "sans-serif"}): "sans-serif-italic",
    frozenset({"bold", "italic", "sans-serif"}): "sans-serif-bold-italic",
}

_PARTS = {name: parts for parts, name in _COMBINED.items()}

# Mathematical Alphanumeric Symbols, their Arabic counterpart, and the Letterlike Symbols that fill the gaps.
_ALPHABETS = (range(0x1D400, 0x1D800), range(0x1EE00, 0x1EF00), range(0x2100, 0x2150))


@cache
def _styled_characters() -> dict[str, tuple[str, str]]:
    """Map each styled character to its plain letter and its font, from its name in Unicode."""
    table = {"\u210e": ("h", "italic")}  # PLANCK CONSTANT: the italic h, named for its use
    for block in _ALPHABETS:
        for code in block:
            name = unicodedata.name(chr(code), "").lower().replace("black-letter", "fraktur")
            fonts = MATHVARIANTS.intersection(name.split())
            decomposition = unicodedata.decomposition(chr(code)).split()
            if fonts and decomposition[:1] == ["<font>"]:
                table[chr(code)] = (chr(int(decomposition[1], 16)), _combine(fonts))
    return table


def fold_styled(surface: str) -> tuple[str, str | None]:
    """Turn a surface in one styled alphabet into plain letters and the font; leave any other alone.

    >>> fold_styled("𝐱"), fold_styled("ℝ"), fold_styled("x"), fold_styled("𝑋")
    (('x', 'bold'), ('R', 'double-struck'), ('x', None), ('X', 'italic'))
    """
    if surface.isascii():
        return surface, None
    table = _styled_characters()
    letters, fonts = [], set()
    for character in surface:
        letter, font = table.get(character, (character, None))
        letters.append(letter)
        fonts.add(font)
    # A mixture such as 𝐱y has no single font; its characters stay as they are.
    return ("".join(letters), fonts.pop()) if len(fonts) == 1 else (surface, None)


def _combine(fonts: Set[str]) -> str:
    marked = {part for font in fonts - {"normal"} for part in _PARTS.get(font, (font,))}
    if len(marked) <= 1:
        return marked.pop() if marked else "normal"
    shape = marked - UNMARKED
    # MathML has no name for every combination; the alphabet matters more than its weight.
    return _COMBINED.get(frozenset(marked)) or _COMBINED.get(frozenset(shape)) or min(shape - {"bold"})


@lru_cache(maxsize=4096)
def declared_font(mathvariant: str | None, classes: str | None) -> str | None:
    """Name the font an element declares for itself, or None if it declares none."""
    fonts = set()
    if mathvariant and mathvariant.strip().lower() in MATHVARIANTS:
        fonts.add(mathvariant.strip().lower())
    for name in (classes or "").split():
        for prefix in _CLASS_PREFIXES:
            if name.startswith(prefix):
                font = name.removeprefix(prefix)
                fonts.add(_CLASS_FONTS.get(font) or (font if font in MATHVARIANTS else "normal"))
    return _combine(fonts) if fonts else None
