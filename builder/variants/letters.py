"""The letters that name variables: two alphabets, their two cases, and their names in TeX.

Upper and lower case of a letter are one variable, written in lower case: if x becomes q, X becomes Q.
"""

from collections.abc import Iterable, Mapping

from ..tokens import Memo

# Names in TeX of lower-case Greek letters. The second forms that TeX calls `\varphi` and so on are letters of
# their own, because authors use both side by side; LaTeXML writes `\phi` as ϕ and `\varphi` as φ. There is no
# omicron: it looks like a Latin letter and has no command.
_LOWER_NAMES = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ϵ": "epsilon",
    "ε": "varepsilon",
    "ζ": "zeta",
    "η": "eta",
    "θ": "theta",
    "ϑ": "vartheta",
    "ι": "iota",
    "κ": "kappa",
    "ϰ": "varkappa",
    "λ": "lambda",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "ϖ": "varpi",
    "ρ": "rho",
    "ϱ": "varrho",
    "σ": "sigma",
    "ς": "varsigma",
    "τ": "tau",
    "υ": "upsilon",
    "ϕ": "phi",
    "φ": "varphi",
    "χ": "chi",
    "ψ": "psi",
    "ω": "omega",
}

# The capitals with a command of their own; the others look like Latin ones.
UPPER_NAMES = {
    "Γ": "Gamma",
    "Δ": "Delta",
    "Θ": "Theta",
    "Λ": "Lambda",
    "Ξ": "Xi",
    "Π": "Pi",
    "Σ": "Sigma",
    "Υ": "Upsilon",
    "Φ": "Phi",
    "Ψ": "Psi",
    "Ω": "Omega",
}

TEX_NAMES = {**_LOWER_NAMES, **UPPER_NAMES}

ALPHABETS = (tuple("abcdefghijklmnopqrstuvwxyz"), tuple(_LOWER_NAMES))

# Lower case → upper case, for the letters that have one.
UPPER_CASE = {letter: letter.upper() for letter in ALPHABETS[0]} | {
    capital.lower(): capital for capital in UPPER_NAMES
}

# Character → the variable it names.
VARIABLE_OF = {letter: letter for alphabet in ALPHABETS for letter in alphabet} | {
    capital: letter for letter, capital in UPPER_CASE.items()
}

_MATH_FONT = "m."
_DOUBLE_STRUCK = "m.double-struck:"


def _letter_of_token(token: str) -> str:
    """Find the letter of a token that is a variable; others have none.

    >>> [_letter_of_token(token) for token in ("m.bold:x", "t:x", "m:Hom", "m.double-struck:R", "m:Γ")]
    ['x', '', '', '', 'Γ']
    """
    letter = token[-1:]
    if letter not in VARIABLE_OF or token[-2:-1] != ":":
        return ""
    is_variable = len(token) == len("m:x") and token[0] == "m"
    is_styled = token.startswith(_MATH_FONT) and not token.startswith(_DOUBLE_STRUCK)
    return letter if is_variable or is_styled else ""


letter_of_token = Memo(_letter_of_token)


def letters_of_tokens(tokens: Iterable[str]) -> set[str]:
    """Collect the letters of all variables, as they are written."""
    return {letter for token in set(tokens) if (letter := letter_of_token[token])}


def variables_of(letters: Iterable[str]) -> set[str]:
    """Name the variables that letters stand for."""
    return {VARIABLE_OF[letter] for letter in letters}


def both_cases(renaming: Mapping[str, str]) -> dict[str, str]:
    """Extend a renaming of variables to the letters they are written with.

    >>> both_cases({"x": "q", "ϕ": "α", "α": "ϕ"})
    {'x': 'q', 'X': 'Q', 'ϕ': 'α', 'α': 'ϕ'}
    """
    letters = {}
    for original, renamed in renaming.items():
        letters[original] = renamed
        if original in UPPER_CASE and renamed in UPPER_CASE:
            letters[UPPER_CASE[original]] = UPPER_CASE[renamed]
    return letters


def rename_tokens(tokens: Iterable[str], letters: Mapping[str, str]) -> list[str]:
    """Rename the variables among tokens; fonts stay.

    Args:
        tokens: Typed tokens.
        letters: From `both_cases`.
    """
    return [
        token[:-1] + letters[letter] if (letter := letter_of_token[token]) in letters else token
        for token in tokens
    ]
