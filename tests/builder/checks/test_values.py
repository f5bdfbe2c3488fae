"""Values of a pair: known kinds, and texts that have the words of their tokens."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.checks.evidence import Vocabulary
from proofmatch.builder.checks.values import has_words, is_known_kind
from proofmatch.builder.extraction.passages import passage_tokens, readable
from proofmatch.builder.records import Formula, Length, Passage
from proofmatch.builder.tokens import text_tokens

# Without marks and Hangul, which may combine with what stands before them in another segment.
characters = st.characters(max_codepoint=0x10FF, exclude_categories=["Cs", "Cc", "Mn", "Mc"])
words = st.text(characters, max_size=40)
formulas = st.sampled_from([Formula("m:x m:+ m.bold:y", None), Formula("m:α", r"\alpha"), Formula("", "")])


@given(st.lists(words | formulas, max_size=12))
def test_a_text_has_the_words_of_its_own_tokens(segments):
    passage = Passage(tuple(segments), Length(0, 0))
    assert has_words(readable(passage), passage_tokens(passage).split())


def test_another_text_has_not():
    tokens = ["m:x", *text_tokens("Let be a compact space and its dimension finite.")]
    assert has_words("Let $x$ be a compact space and its dimension finite.", tokens)
    assert not has_words("Let $f$ be smooth. Then it has a limit.", tokens)


def test_few_words_prove_nothing():
    assert has_words("$x = y$", ["t:Clear", "t:.", "m:x"])


@pytest.mark.parametrize(("kind", "known"), [("theorem", True), ("other", True), ("thm", False), ("", False)])
def test_kinds_are_those_that_the_builder_gives(kind, known):
    assert is_known_kind(kind) == known


def test_only_tokens_that_occur_in_a_row_are_numbered():
    tokens = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2], pa.int32()), ["t:a", "unused", "t:b"])
    column = pa.ListArray.from_arrays(pa.array([0, 1, 1, 4], pa.int32()), tokens)
    vocabulary = Vocabulary()
    rows = vocabulary.encode(column.slice(1))
    assert [[vocabulary.tokens[number] for number in row] for row in rows] == [[], ["t:a", "", "t:b"]]
    assert set(vocabulary.tokens) == {"t:a", "", "t:b"}
