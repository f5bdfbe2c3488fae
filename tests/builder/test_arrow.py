"""Arrow arrays made through buffers hold what was put in."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.arrow import as_numpy, integers, split_lists, strings

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
token = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6)


@given(st.lists(st.none() | text, max_size=20))
def test_strings_and_missing_ones_survive(values):
    array = strings(values)
    array.validate(full=True)
    assert array.to_pylist() == values


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=20))
def test_integers_survive(values):
    array = integers(values)
    array.validate(full=True)
    assert array.to_pylist() == values
    assert as_numpy(array.slice(len(values) // 2)).tolist() == values[len(values) // 2 :]


@given(st.lists(st.lists(token, max_size=5), max_size=12), st.integers(0, 3))
def test_lists_joined_by_spaces_are_split_again_empty_ones_too(rows, start):
    joined = strings([" ".join(row) for row in rows])
    lists = split_lists(joined.slice(min(start, len(rows))))
    lists.validate(full=True)
    assert lists.type == pa.list_(pa.string())
    assert lists.to_pylist() == rows[start:]
