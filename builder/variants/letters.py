"""The letters that name variables: two alphabets, their two cases, and how they are written in a text.

Upper and lower case of a letter are one variable, written in lower case: if x becomes q, X becomes Q.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import NamedTuple

from ..linearization.fonts import fold_styled
from ..tokens import Memo


def _table(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


# TeX's names of lower-case Greek letters. Variant forms such as `\varphi` are letters of their own, because
# authors use both side by side; LaTeXML writes `\phi` as ϕ and `\varphi` as φ. There is no omicron: it looks
# like a Latin letter and has no command.
_LOWER_NAMES = _table(
    """
    α alpha  β beta  γ gamma  δ delta  ϵ epsilon  ε varepsilon  ζ zeta  η eta  θ theta  ϑ vartheta
    ι iota  κ kappa  ϰ varkappa  λ lambda  μ mu  ν nu  ξ xi  π pi  ϖ varpi  ρ rho  ϱ varrho  σ sigma
    ς varsigma  τ tau  υ upsilon  ϕ phi  φ varphi  χ chi  ψ psi  ω omega
    """
)

# The capitals with a command of their own; the others look like Latin ones.
_UPPER_NAMES = _table(
    "Γ Gamma  Δ Delta  Θ Theta  Λ Lambda  Ξ Xi  Π Pi  Σ Sigma  Υ Upsilon  Φ Phi  Ψ Psi  Ω Omega"
)

_TEX_NAMES = {**_LOWER_NAMES, **_UPPER_NAMES}

ALPHABETS = (tuple("abcdefghijklmnopqrstuvwxyz"), tuple(_LOWER_NAMES))

# Lower case → upper case, for the letters that have one.
UPPER_CASE = {letter: letter.upper() for letter in ALPHABETS[0]} | {
    capital.lower(): capital for capital in _UPPER_NAMES
}

# Character → the variable it names.
VARIABLE_OF = {letter: letter for alphabet in ALPHABETS for letter in alphabet} | {
    capital: letter for letter, capital in UPPER_CASE.items()
}

_MATH_FONT = "m."
_DOUBLE_STRUCK = "m.double-struck:"


def _letter_of_token(token: str) -> str:
    """Find the letter of a token that is a variable; empty for other tokens.

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
    """Collect the letters of all variables, in the case in which they are written."""
    return {letter for token in set(tokens) if (letter := letter_of_token[token])}


def variables_of(letters: Iterable[str]) -> set[str]:
    """Map letters to their variables."""
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
    """Rename the variables among typed tokens by `both_cases`; fonts stay."""
    return [
        token[:-1] + letters[letter] if (letter := letter_of_token[token]) in letters else token
        for token in tokens
    ]


class Site(NamedTuple):
    """A letter in a text, and where its notation begins and ends."""

    start: int
    end: int
    letter: str
    write: Callable[[str], str]  # writes another letter of the same alphabet and case in this notation


def rewrite(text: str, sites: Iterable[Site], letters: Mapping[str, str]) -> str:
    """Replace the letters at the sites, and nothing between them."""
    pieces, done = [], 0
    for start, end, letter, write in sites:
        if letter in letters:
            pieces += text[done:start], write(letters[letter])
            done = end
    pieces.append(text[done:])
    return "".join(pieces)


# Letters of an alphabet that have a command of their own: an ℓ is a script l, ℜ and ℑ are black-letter.
_OWN_COMMANDS = {
    ("mathscr", "l"): r"\ell",
    ("mathfrak", "R"): r"\Re",
    ("mathfrak", "I"): r"\Im",
}


def _own_command(alphabet: str, letter: str) -> str:
    """Write a letter by its own command or, if it has none, in a form that authors do not use.

    So the command can be restored. The outer braces make the form an argument wherever a command is one.
    """
    return _OWN_COMMANDS.get((alphabet, letter)) or f"{{\\{alphabet}{{{{{letter}}}}}}}"


_Notation = tuple[str, Callable[[str], str]]

# Control word → its letter and notation.
COMMAND_NOTATIONS: dict[str, _Notation] = {
    **{name: (letter, lambda new: f"\\{_TEX_NAMES[new]}") for letter, name in _TEX_NAMES.items()},
    **{
        f"var{name}": (letter, lambda new: f"\\var{_TEX_NAMES[new]}") for letter, name in _UPPER_NAMES.items()
    },
    **{
        command[1:]: (letter, partial(_own_command, alphabet))
        for (alphabet, letter), command in _OWN_COMMANDS.items()
    },
}


def restored_notation(alphabet: str, letter: str) -> _Notation | None:
    """Find the notation of what `_own_command` wrote for a letter that has no own command."""
    return None if (alphabet, letter) in _OWN_COMMANDS else (letter, partial(_own_command, alphabet))


@cache
def character_notation(character: str) -> _Notation | None:
    """Find the letter and notation of a character, plain or styled.

    >>> letter, write = character_notation("𝐱")
    >>> letter, write("q")
    ('x', '𝐪')
    """
    if character in VARIABLE_OF:
        return character, str
    letter, font = fold_styled(character)
    if font in (None, "double-struck") or letter not in VARIABLE_OF:
        return None
    alphabet = _styled_alphabet(font)
    # Unicode has a few letters twice; only one of the two can be restored.
    return (letter, alphabet.__getitem__) if alphabet.get(letter) == character else None


@cache
def _styled_alphabet(font: str) -> dict[str, str]:
    """Map letters to their characters in a styled alphabet."""
    styled = {}
    for code in (*range(0x1D400, 0x1D7CC), *range(0x2100, 0x2140)):
        letter, its_font = fold_styled(chr(code))
        if its_font == font and letter in VARIABLE_OF:
            # The Letterlike Symbols come last and win: texts have ℓ rather than 𝓁.
            styled[letter] = chr(code)
    return styled
