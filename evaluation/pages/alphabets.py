"""Letters of MathML's fonts as characters of their own, since browsers no longer read `mathvariant`."""

import unicodedata
from functools import lru_cache

# Unicode's words for MathML's names. What comes later is for letters that the first alphabet has not.
_ALPHABETS = {
    "bold": ("BOLD",),
    "bold-italic": ("BOLD ITALIC", "BOLD"),
    "double-struck": ("DOUBLE-STRUCK",),
    "fraktur": ("FRAKTUR", "BLACK-LETTER"),
    "bold-fraktur": ("BOLD FRAKTUR",),
    "script": ("SCRIPT",),
    "bold-script": ("BOLD SCRIPT",),
    "sans-serif": ("SANS-SERIF",),
    "bold-sans-serif": ("SANS-SERIF BOLD",),
    "sans-serif-italic": ("SANS-SERIF ITALIC", "SANS-SERIF"),
    "sans-serif-bold-italic": ("SANS-SERIF BOLD ITALIC", "SANS-SERIF BOLD"),
    "monospace": ("MONOSPACE",),
}


@lru_cache(maxsize=1 << 12)
def in_alphabet(text: str, variant: str) -> str:
    """Write letters and digits in a font of MathML's; what the font does not have stays as it is.

    >>> in_alphabet("Hx2", "fraktur")
    'ℌ𝔵2'
    """
    return "".join(_character(character, variant) for character in text)


def _character(character: str, variant: str) -> str:
    words = unicodedata.name(character, "").removeprefix("LATIN ").removeprefix("GREEK ")
    words = words.replace("LETTER ", "")  # LATIN CAPITAL LETTER A is MATHEMATICAL BOLD CAPITAL A
    for alphabet in _ALPHABETS.get(variant, ()):
        for prefix in ("MATHEMATICAL ", ""):  # ℌ and others are older than the block of the alphabets
            try:
                return unicodedata.lookup(f"{prefix}{alphabet} {words}")
            except KeyError:
                continue
    return character
