"""Renames the variables of one proof, in its tokens and in its readable text alike."""

import random
from collections.abc import Mapping
from typing import NamedTuple

from .letters import VARIABLE_OF, both_cases, letters_of_tokens, rename_tokens, variables_of
from .renaming import Symbols, choose_renaming
from .sites import rewrite
from .text import text_sites

# A renamed formula could by a rare chance spell a name that it also has; then another draw helps.
_DRAWS = 8


class Proof(NamedTuple):
    """A proof: what people read, and its tokens."""

    text: str
    tokens: list[str]


class RenamedProof(NamedTuple):
    """A proof with other names.

    Attributes:
        proof: The proof.
        renaming: Variable → its new name.
        kept: Number of variables that should have been renamed, but there was no name left.
        is_read: Whether text and tokens belong together; if not, all names are as they were.
    """

    proof: Proof
    renaming: dict[str, str]
    kept: int = 0
    is_read: bool = True


def rename_proof(
    statement_tokens: list[str], proof: Proof, symbols: Symbols, rng: random.Random
) -> RenamedProof:
    """Give the variables of a proof other names.

    Args:
        statement_tokens: Tokens of the statement, which stays as it is.
        proof: The proof.
        symbols: See `choose_renaming`.
        rng: Source of chance.

    Returns:
        The proof as `restore_proof` is known to restore it.
    """
    sites = text_sites(*proof)
    if sites is None:
        return RenamedProof(proof, {}, is_read=False)
    letters = letters_of_tokens(proof.tokens)
    variables = variables_of(letters)
    in_text = {site.letter for site in sites}
    # Letters that TeX has and the tokens have not, from macros a converter did not know: nobody's new name.
    foreign = {letter for letter in in_text if VARIABLE_OF[letter] not in variables}
    for _ in range(_DRAWS):
        renaming, kept = choose_renaming(
            letters_of_tokens(statement_tokens), letters | in_text - foreign, symbols, rng, foreign
        )
        new_letters = both_cases(renaming)
        text = rewrite(proof.text, sites, new_letters)
        renamed = Proof(text, rename_tokens(proof.tokens, new_letters))
        if restore_proof(renamed, renaming) == proof:
            return RenamedProof(renamed, renaming, kept)
    return RenamedProof(proof, {}, is_read=False)


def restore_proof(renamed: Proof, renaming: Mapping[str, str]) -> Proof:
    """Give the variables of a renamed proof back their names.

    Args:
        renamed: The renamed proof.
        renaming: Variable → the name it had got.
    """
    if not renaming:
        return renamed
    letters = both_cases({new: original for original, new in renaming.items()})
    text = rewrite(renamed.text, text_sites(*renamed) or (), letters)
    return Proof(text, rename_tokens(renamed.tokens, letters))
