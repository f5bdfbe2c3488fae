"""New names keep different variables different, in tokens and text alike, and can be undone."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.extraction.passages import passage_tokens, readable
from proofmatch.builder.records import Formula, Length, Passage
from proofmatch.builder.variants.letters import (
    ALPHABETS,
    UPPER_CASE,
    both_cases,
    letter_of_token,
    letters_of_tokens,
    rename_tokens,
    rewrite,
    variables_of,
)
from proofmatch.builder.variants.renaming import SYMBOLS, Proof, choose_renaming, rename_proof, restore_proof
from proofmatch.builder.variants.sites import text_sites

from .strategies import LETTERS, MATH, TOKENS, passages

SETS = st.frozensets(LETTERS, max_size=40)
SEEDS = st.integers(0, 5)
EVERY = pytest.mark.parametrize("symbols", SYMBOLS)


def choose(statement, proof, symbols, seed=0, taken=()):
    return choose_renaming(statement, proof, symbols, random.Random(seed), taken)  # noqa: S311 - no secret


@EVERY
@given(SETS, SETS, SETS, SEEDS)
def test_names_are_new_distinct_and_not_taken(symbols, statement, proof, taken, seed):
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
    # Only variables of the proof alone need unused names.
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


PLAIN_FORMULAS = st.lists(MATH, max_size=6).map(lambda tokens: Formula(" ".join(tokens), None))


def proof_of(passage):
    return Proof(readable(passage), passage_tokens(passage).split())


def make_proof(*segments):
    return proof_of(Passage(segments, Length(0, 0)))


def rename(proof, symbols="full", statement=(), seed=0):
    return rename_proof(list(statement), proof, symbols, random.Random(seed))  # noqa: S311 - no secret


def renamed_text(proof, renaming):
    sites = text_sites(*proof)
    assert sites is not None
    return rewrite(proof.text, sites, both_cases(renaming))


@EVERY
@given(passages(), TOKENS)
def test_a_renamed_proof_can_be_restored(symbols, passage, statement):
    proof = proof_of(passage)
    renamed = rename(proof, symbols, statement)
    assert restore_proof(renamed.proof, renamed.renaming) == proof


@given(passages())
def test_text_and_tokens_of_a_passage_belong_together(passage):
    assert text_sites(*proof_of(passage)) is not None


@given(passages(PLAIN_FORMULAS))
def test_without_tex_exactly_the_symbols_are_renamed(passage):
    proof = proof_of(passage)
    sites = text_sites(*proof) or []
    assert [site.letter for site in sites] == [
        letter for token in proof.tokens if (letter := letter_of_token[token])
    ]


def test_words_stay_and_symbols_change():
    proof = make_proof("Let a be x, ", Formula("m:x m:∈ m:a", None), "-good", Formula("m:a", None), "; I x")
    assert proof.text == "Let a be x, x ∈ a-gooda; I x"
    assert renamed_text(proof, {"x": "q", "a": "b"}) == "Let a be x, q ∈ b-goodb; I x"


def test_tex_and_symbols_may_stand_side_by_side():
    proof = make_proof("x", Formula("m:x m:2", "x^{2}"), Formula("m:x m:y", None), "x")
    assert proof.text == "x$x^{2}$x yx"
    assert renamed_text(proof, {"x": "q"}) == "x$q^{2}$q yx"


def test_formulas_side_by_side_share_their_tokens():
    proof = make_proof(Formula("m:Hom", r"\mathrm{Hom}"), Formula("m:o", "o"), " o")
    assert renamed_text(proof, {"o": "q"}) == r"$\mathrm{Hom}$$q$ o"


def test_dollars_of_the_text_begin_no_formula():
    proof = make_proof("for $x$ and \\", Formula("m:x", "x"), " or ", Formula("m:$ m:x", r"\$x"))
    assert proof.text == r"for \$x\$ and \$x$ or $\$x$"
    assert renamed_text(proof, {"x": "q"}) == r"for \$x\$ and \$q$ or $\$q$"


def test_text_that_was_normalized_is_recognized():
    proof = make_proof("Poincare\u0301 co\u00adhomology \u200b", Formula("m:x", "x"))
    assert "t:Poincaré" in proof.tokens
    assert renamed_text(proof, {"x": "q"}).endswith("$q$")


def test_invisible_operators_are_symbols():
    proof = make_proof("f ", Formula("m:f m:\u2061 m:x", None), " x")
    assert renamed_text(proof, {"x": "q", "f": "g"}) == "f g \u2061 q x"


def test_unbalanced_tex_is_found_nevertheless():
    proof = make_proof("if ", Formula("m:x", "{x"), " and ", Formula("m:x", "x}"), " hold")
    assert renamed_text(proof, {"x": "q"}) == "if ${q$ and $q}$ hold"


def test_text_and_tokens_of_different_proofs_are_told_and_left_alone():
    proof = Proof("Let $x$ be", ["t:Take", "m:x"])
    renamed = rename(proof)
    assert not renamed.is_read
    assert (renamed.proof, renamed.renaming) == (proof, {})


def test_a_letter_that_only_tex_has_is_never_a_new_name():
    # As from a macro that the converter did not know: every other letter is in the formula.
    tex = " ".join("bcdefghijklmnopqrstuvwxyz")
    renamed = rename(make_proof(Formula("m:x", tex)))
    assert renamed.renaming == {"x": "a"}


def test_a_renamed_word_that_spells_a_name_is_drawn_again():
    proof = make_proof(Formula("m:ab m:c m:d", r"\mathrm{ab}\mathrm{cd}"), " and ", Formula("m:x", "x"))
    for seed in range(200):
        renamed = rename(proof, seed=seed)
        assert renamed.is_read
        assert restore_proof(renamed.proof, renamed.renaming) == proof


def test_double_struck_letters_stay_and_do_not_count():
    proof = make_proof(Formula("m:R m.double-struck:R", r"R\mathbb{R}"))
    renamed = rename(proof)
    assert renamed.renaming.keys() == {"r"}
    assert renamed.proof.tokens[1] == "m.double-struck:R"
    assert renamed.proof.text.endswith(r"\mathbb{R}$")
