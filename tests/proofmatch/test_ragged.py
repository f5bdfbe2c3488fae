"""Rows of different lengths behave like a list of arrays."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.ragged import Ragged

ROWS = st.lists(st.lists(st.integers(-9, 9), max_size=5), max_size=8)


def as_lists(ragged):
    return [row.tolist() for row in ragged]


@given(ROWS)
def test_rows_come_back(rows):
    ragged = Ragged.from_lists(rows, np.int64)
    assert as_lists(ragged) == rows
    assert ragged.lengths.tolist() == [len(row) for row in rows]
    assert ragged.rows.tolist() == [number for number, row in enumerate(rows) for _ in row]


@given(ROWS, st.data())
def test_rows_are_taken_in_any_order_and_more_than_once(rows, data):
    numbers = data.draw(st.lists(st.sampled_from(range(len(rows))))) if rows else []
    taken = Ragged.from_lists(rows, np.int64).take(np.array(numbers, dtype=np.int64))
    assert as_lists(taken) == [rows[number] for number in numbers]


@given(ROWS, st.integers(0, 6))
def test_the_first_values_of_each_row_are_kept(rows, k):
    assert as_lists(Ragged.from_lists(rows, np.int64).first(k)) == [row[:k] for row in rows]


@given(ROWS, st.integers(0, 8), st.integers(0, 8))
def test_consecutive_rows_are_a_view(rows, start, stop):
    start, stop = sorted((min(start, len(rows)), min(stop, len(rows))))
    assert as_lists(Ragged.from_lists(rows, np.int64).slice(start, stop)) == rows[start:stop]


@given(ROWS, ROWS)
def test_pieces_are_put_together(first, second):
    pieces = [Ragged.from_lists(rows, np.int64) for rows in (first, second)]
    assert as_lists(Ragged.concatenate(pieces)) == first + second


def test_arrow_lists_are_rows_and_a_missing_one_is_empty():
    assert as_lists(Ragged.from_arrow(pa.array([[1.0, 2.0], None, [], [3.0]]))) == [[1.0, 2.0], [], [], [3.0]]
