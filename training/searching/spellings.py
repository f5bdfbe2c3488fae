"""Other characters for the same sign: which of them a model knows depends on who made its formulas."""

from collections.abc import Container

from ...builder.tokens import MATH, math_token, parse_token

_SAME_SIGN = (
    "→⟶",
    "↦⟼",
    "⇒⟹",
    "⇔⟺",
    "⇐⟸",
    "←⟵",
    "↔⟷",
    "∥‖",
    "∙•",
    "⋅·",
    "∖⧵\\",
    "∐⨿",
    "↝⤳⇝",
    "◻□",
    "⟂⊥",
    "¯‾\u0304\u0305_\u0332",
    "´\u0301",
    "`\u0300",
    "^\u0302",
    "~\u0303",
    "˙\u0307",
    "¨\u0308",
    "ˇ\u030c",
    "˘\u0306",
)
_OTHERS = {
    **{sign: [other for other in signs if other != sign] for signs in _SAME_SIGN for sign in signs},
    "′′": ["″", "′ ′"],
    "′′′": ["‴", "′ ′ ′"],
}


def known_spellings(tokens: list[str], known: Container[str]) -> list[str]:
    r"""Spell unknown tokens of formulas as they are known, where they are.

    >>> known_spellings(["m:⟶", "m:xymatrix", "t:⟶"], {"m:→", "m:\\xymatrix"})
    ['m:→', 'm:\\xymatrix', 't:⟶']
    """
    return [spelled for token in tokens for spelled in _spelled(token, known)]


def _spelled(token: str, known: Container[str]) -> list[str]:
    kind, font, surface = parse_token(token)
    if kind != MATH or token in known:
        return [token]
    # A macro that LaTeXML does not know either is printed with its backslash.
    for other in _OTHERS.get(surface, [f"\\{surface}"]):
        spelled = [math_token(part, font) for part in other.split()]
        if all(part in known for part in spelled):
            return spelled
    return [token]
