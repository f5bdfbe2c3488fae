"""Chooses the new names of a proof's variables."""

import random
from collections.abc import Collection, Iterable
from typing import Literal, get_args

from .letters import ALPHABETS, UPPER_CASE, variables_of

Symbols = Literal["partial", "full", "transpose"]
SYMBOLS: tuple[Symbols, ...] = get_args(Symbols)


def choose_renaming(
    statement: Collection[str],
    proof: Collection[str],
    symbols: Symbols,
    rng: random.Random,
    also_taken: Collection[str] = (),
) -> tuple[dict[str, str], int]:
    """Choose new names for the variables of a proof.

    No new name is a variable that the proof alone has, or one that keeps its name, and no two variables get
    the same: what was different stays different, and the renaming can be undone. Where there are not enough
    names, as many variables as possible are renamed.

    Args:
        statement: Letters of the statement, as they are written.
        proof: Letters of the proof.
        symbols: `full` renames all variables of the proof, `partial` half of them (rounded up), `transpose`
            exchanges those it shares with the statement among each other.
        rng: Source of chance.
        also_taken: Letters that are no new names either.

    Returns:
        Variable → its new name, in alphabetical order, and the number of those that had to keep theirs.
    """
    shared = variables_of(statement) & variables_of(proof)
    present = variables_of(proof)
    capitals = {letter for letter, capital in UPPER_CASE.items() if capital in proof}
    wanted = _wanted(present, shared, symbols, rng)
    renaming: dict[str, str] = {}
    for alphabet in ALPHABETS:
        # Those of the statement first: one of them that finds no name also takes one away.
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
    """Give as many variables as possible a new name: a free one, or that of a shared one renamed too."""
    while True:
        names = sorted(free.union(letter for letter in sources if letter in shared))
        rng.shuffle(names)
        owner = _match(sources, names, capitals)
        renamed = set(owner.values())
        if len(renamed) == len(sources):
            return {original: name for name, original in owner.items()}
        # The others keep their names, which therefore nobody else may get.
        sources = [letter for letter in sources if letter in renamed]


def _match(sources: Iterable[str], names: list[str], capitals: set[str]) -> dict[str, str]:
    """Find a largest matching by augmenting paths: name → the variable that gets it.

    A variable that was given a name never loses it to a later one without getting another.
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
