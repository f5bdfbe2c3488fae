"""New names: injective, never onto what the proof alone has or keeps, within alphabets and cases."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.variants.letters import (
    ALPHABETS,
    UPPER_CASE,
    both_cases,
    letter_of_token,
    letters_of_tokens,
    rename_tokens,
    variables_of,
)
from proofmatch.builder.variants.renaming import SYMBOLS, choose_renaming

from .strategies import LETTERS, TOKENS

SETS = st.frozensets(LETTERS, max_size=40)
SEEDS = st.integers(0, 5)
EVERY = pytest.mark.parametrize("symbols", SYMBOLS)


def choose(statement, proof, symbols, seed=0, taken=()):
    return choose_renaming(statement, proof, symbols, random.Random(seed), taken)  # noqa: S311 - no secret


@EVERY
@given(SETS, SETS, SETS, SEEDS)
def test_names_are_new_distinct_and_nobody_elses(symbols, statement, proof, taken, seed):
    taken = {letter for letter in taken if letter.lower() not in variables_of(proof)} - proof
    renaming, _ = choose(statement, proof, symbols, seed, taken)
    shared, present = variables_of(statement) & variables_of(proof), variables_of(proof)
    names = set(renaming.values())
    assert renaming.keys() <= present
    assert len(names) == len(renaming)
    assert all(original != name for original, name in renaming.items())
    assert not names & (present - shared)
    assert not names & (present - renaming.keys())
    assert not names & (variables_of(taken) - present)


@EVERY
@given(SETS, SETS, SEEDS)
def test_alphabets_and_cases_stay(symbols, statement, proof, seed):
    renaming, _ = choose(statement, proof, symbols, seed)
    for original, name in renaming.items():
        assert any(original in alphabet and name in alphabet for alphabet in ALPHABETS)
        if UPPER_CASE.get(original) in proof:
            assert name in UPPER_CASE


@given(st.frozensets(st.sampled_from(ALPHABETS[0]), max_size=13), SETS, SEEDS)
def test_full_renames_everything_when_there_are_names_enough(proof, statement, seed):
    renaming, kept = choose(statement, proof, "full", seed)
    assert renaming.keys() == proof
    assert kept == 0


@given(st.frozensets(st.sampled_from(ALPHABETS[0])), st.frozensets(st.sampled_from(ALPHABETS[0])), SEEDS)
def test_full_renames_as_many_as_possible(proof, statement, seed):
    renaming, kept = choose(statement, proof, "full", seed)
    # Only variables of the proof alone need names that nobody has.
    free, own = 26 - len(proof), len(proof - statement)
    shared = len(proof & statement)
    expected = 0 if shared == 1 and free == 0 else shared + min(free, own)
    assert len(renaming) == expected
    assert kept == len(proof) - expected


@given(st.frozensets(st.sampled_from(ALPHABETS[0]), max_size=16), SETS, SEEDS)
def test_partial_renames_half_rounded_up(proof, statement, seed):
    renaming, kept = choose(statement, proof, "partial", seed)
    assert len(renaming) == (len(proof) + 1) // 2
    assert kept == 0


@given(SETS, SETS, SEEDS)
def test_transpose_permutes_what_is_shared(statement, proof, seed):
    renaming, _ = choose(statement, proof, "transpose", seed)
    assert renaming.keys() == set(renaming.values())
    assert renaming.keys() <= variables_of(statement) & variables_of(proof)


@given(st.frozensets(st.sampled_from(ALPHABETS[0]), min_size=2), SEEDS)
def test_transpose_leaves_no_shared_letter_in_its_place(letters, seed):
    assert choose(letters, letters, "transpose", seed)[0].keys() == letters


def test_a_single_shared_letter_cannot_be_exchanged():
    assert choose({"x"}, {"x", "y"}, "transpose") == ({}, 1)


def test_a_capital_needs_a_name_with_a_capital():
    assert choose({"φ", "ϕ"}, {"Φ", "ϕ"}, "transpose") == ({}, 2)


@given(SETS, SETS)
def test_the_choice_depends_on_the_seed_alone(statement, proof):
    assert choose(sorted(statement), sorted(proof), "full") == choose(statement, proof, "full")


@EVERY
@given(TOKENS, TOKENS, SEEDS)
def test_tokens_can_be_restored(symbols, statement, proof, seed):
    renaming, _ = choose(letters_of_tokens(statement), letters_of_tokens(proof), symbols, seed)
    renamed = rename_tokens(proof, both_cases(renaming))
    assert rename_tokens(renamed, both_cases({new: old for old, new in renaming.items()})) == proof
    for old, new in zip(proof, renamed, strict=True):
        assert old.partition(":")[0] == new.partition(":")[0]
        assert old == new or letter_of_token[old]
        assert old.partition(":")[2].islower() == new.partition(":")[2].islower()


@pytest.mark.parametrize(
    ("token", "letter"),
    [
        ("m:x", "x"),
        ("m.bold:X", "X"),
        ("m.script:O", "O"),
        ("m:ϕ", "ϕ"),
        ("m:Γ", "Γ"),
        ("t:x", ""),
        ("m.double-struck:R", ""),
        ("m:sin", ""),
        ("m:1", ""),
        ("m::", ""),
        ("m:ο", ""),
        ("m:Α", ""),  # a capital alpha, which looks like an A
        ("m:é", ""),
        ("m:a:x", ""),
        ("t:m:x", ""),
    ],
)
def test_variables_are_single_letters_of_formulas(token, letter):
    assert letter_of_token[token] == letter
