"""Pinned here: what the browser unpacks is what was packed."""

import json
import zlib
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.evaluation.report.packing import TextStore, packed, unpacked

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(JSON)
def test_anything_comes_back(data):
    letters = packed(data)
    assert json.loads(zlib.decompress(b64decode(letters, validate=True))) == data
    assert unpacked(letters) == data


def test_letters_can_stand_in_html():
    assert packed("</script><!--" * 99).replace("+", "").replace("/", "").replace("=", "").isalnum()


def test_numbers_that_json_does_not_have_are_refused():
    with pytest.raises(ValueError, match="JSON"):
        packed([float("inf")])


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 200])
def test_texts_are_found_by_their_numbers_also_among_the_first_of_them(count):
    store = TextStore()
    for number in range(200):
        store.add(f"proof {number}", [f"Text {number}"])
    assert len(store) == 200
    assert "proof 7" in store
    assert "proof 200" not in store
    pieces = [unpacked(piece) for piece in store.pieces(count)]
    assert [text for piece in pieces for text in piece] == [[f"Text {number}"] for number in range(count)]
    assert all(len(piece) == store.texts_in_piece for piece in pieces[:-1])
    for number in range(count):
        found = pieces[number // store.texts_in_piece][number % store.texts_in_piece]
        assert found == [f"Text {store.number(f'proof {number}')}"]


def test_the_size_is_that_of_finished_pieces():
    store = TextStore()
    for number in range(130):
        store.add(str(number), [str(number)])
    assert store.size == sum(len(piece) for piece in store.pieces(128))
