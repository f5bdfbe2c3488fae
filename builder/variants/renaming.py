"""Renames the variables of a proof, in its tokens and in its readable text alike."""

import random
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple, get_args

from .letters import (
    ALPHABETS,
    UPPER_CASE,
    VARIABLE_OF,
    both_cases,
    letters_of_tokens,
    rename_tokens,
    rewrite,
    variables_of,
)
from .sites import text_sites

Symbols = Literal["partial", "full", "transpose"]
SYMBOLS: tuple[Symbols, ...] = get_args(Symbols)

# Rarely, a renamed formula spells a name that it also contains; then another random choice helps.
_ATTEMPTS = 8


class Proof(NamedTuple):
    """A proof: its readable text and its tokens."""

    text: str
    tokens: list[str]


class RenamedProof(NamedTuple):
    """A proof with renamed variables."""

    proof: Proof
    renaming: dict[str, str]  # variable → its new name
    kept: int = 0  # variables that kept their names because no new name was left
    is_read: bool = True  # whether text and tokens match; if not, nothing was renamed


def rename_proof(
    statement_tokens: list[str], proof: Proof, symbols: Symbols, rng: random.Random
) -> RenamedProof:
    """Rename the variables of a proof, so that `restore_proof` restores it exactly.

    The tokens of the statement tell which variables it shares; for `symbols` see `choose_renaming`.
    """
    sites = text_sites(*proof)
    if sites is None:
        return RenamedProof(proof, {}, is_read=False)
    letters = letters_of_tokens(proof.tokens)
    variables = variables_of(letters)
    in_text = {site.letter for site in sites}
    # Letters in the TeX but not in the tokens, from macros a converter did not know: never used as new names.
    foreign = {letter for letter in in_text if VARIABLE_OF[letter] not in variables}
    for _ in range(_ATTEMPTS):
        renaming, kept = choose_renaming(
            letters_of_tokens(statement_tokens), letters | in_text - foreign, symbols, rng, foreign
        )
        new_letters = both_cases(renaming)
        text = rewrite(proof.text, sites, new_letters)
        renamed = Proof(text, rename_tokens(proof.tokens, new_letters))
        if restore_proof(renamed, renaming) == proof:
            return RenamedProof(renamed, renaming, kept)
    return RenamedProof(proof, {}, is_read=False)


def rename_proof_tokens(
    statement_tokens: Iterable[str], proof_tokens: Collection[str], symbols: Symbols, rng: random.Random
) -> list[str]:
    """Rename the variables among the tokens of a proof, by the rules of `choose_renaming`."""
    renaming, _ = choose_renaming(
        letters_of_tokens(statement_tokens), letters_of_tokens(proof_tokens), symbols, rng
    )
    return rename_tokens(proof_tokens, both_cases(renaming))


def restore_proof(renamed: Proof, renaming: Mapping[str, str]) -> Proof:
    """Restore the original names in a renamed proof."""
    if not renaming:
        return renamed
    letters = both_cases({new: original for original, new in renaming.items()})
    text = rewrite(renamed.text, text_sites(*renamed) or (), letters)
    return Proof(text, rename_tokens(renamed.tokens, letters))


def choose_renaming(
    statement: Collection[str],
    proof: Collection[str],
    symbols: Symbols,
    rng: random.Random,
    also_taken: Collection[str] = (),
) -> tuple[dict[str, str], int]:
    """Choose new names for the variables of a proof.

    A new name is never that of a variable that occurs only in the proof, or that keeps its name, and no two
    variables get the same one. So different variables stay different, and the renaming can be undone. If
    there are not enough names, as many variables as possible are renamed.

    Args:
        statement: Letters of the statement, as they are written.
        proof: Letters of the proof.
        symbols: `full` renames all variables of the proof, `partial` half of them (rounded up), `transpose`
            permutes those that it shares with the statement.
        rng: Source of randomness.
        also_taken: Further letters that must not become new names.

    Returns:
        Variable → its new name, in alphabetical order, and the number of variables that had to keep theirs.
    """
    shared = variables_of(statement) & variables_of(proof)
    present = variables_of(proof)
    capitals = {letter for letter, capital in UPPER_CASE.items() if capital in proof}
    wanted = _wanted(present, shared, symbols, rng)
    renaming: dict[str, str] = {}
    for alphabet in ALPHABETS:
        # Variables of the statement come first: if one finds no name, its own name is not free, either.
        sources = [letter for letter in wanted if letter in alphabet]
        sources.sort(key=lambda letter: letter not in shared)
        free = set() if symbols == "transpose" else set(alphabet) - present - variables_of(also_taken)
        renaming |= _assign(sources, free, shared, capitals, rng)
    return dict(sorted(renaming.items())), len(wanted) - len(renaming)


def _wanted(present: set[str], shared: set[str], symbols: Symbols, rng: random.Random) -> list[str]:
    """List the variables to rename, in random order."""
    wanted = sorted(shared if symbols == "transpose" else present)
    rng.shuffle(wanted)
    return wanted[: (len(wanted) + 1) // 2] if symbols == "partial" else wanted


def _assign(
    sources: list[str], free: set[str], shared: set[str], capitals: set[str], rng: random.Random
) -> dict[str, str]:
    """Assign new names to as many variables as possible: free names, or names of renamed shared variables."""
    while True:
        names = sorted(free.union(letter for letter in sources if letter in shared))
        rng.shuffle(names)
        owner = _match(sources, names, capitals)
        renamed = set(owner.values())
        if len(renamed) == len(sources):
            return {original: name for name, original in owner.items()}
        # The others keep their names, which are therefore taken.
        sources = [letter for letter in sources if letter in renamed]


def _match(sources: Iterable[str], names: list[str], capitals: set[str]) -> dict[str, str]:
    """Find a maximum matching by augmenting paths: name → the variable that gets it.

    A variable that has a name loses it to a later one only for another name.
    """
    owner: dict[str, str] = {}

    def find_name(source: str, tried: set[str]) -> bool:
        possible = [
            name for name in names if name != source and (source not in capitals or name in UPPER_CASE)
        ]
        for name in possible:
            if name not in owner:
                owner[name] = source
                return True
        for name in possible:
            if name not in tried:
                tried.add(name)
                if find_name(owner[name], tried):
                    owner[name] = source
                    return True
        return False

    for source in sources:
        find_name(source, set())
    return owner
