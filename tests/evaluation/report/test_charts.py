"""Every chart counts every statement or proof once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.evaluation.evaluator import Ranking, make_result
from proofmatch.evaluation.metrics import NO_RANK, count_assignments
from proofmatch.evaluation.report import charts
from proofmatch.evaluation.report.charts import (
    agreement_chart,
    assignment_chart,
    category_chart,
    one_to_one_chart,
    rank_chart,
    text_charts,
)
from proofmatch.evaluation.report.matches import Cases
from proofmatch.evaluation.system import System
from proofmatch.evaluation.task import load_task
from tests.evaluation.tasks import make_task

from .releases import Pair, write_release

RANKS = np.array([1, 1, 2, 7, NO_RANK])


def _rows(chart):
    return {row.label: row.figures for row in chart.rows}


def _cases(ranks, one_to_one):
    n = len(ranks)
    zeros = np.zeros(n, dtype=np.int64)
    return Cases(Ranking(ranks, zeros, n), zeros, np.full(n, np.nan), one_to_one, None, "0" * 64)


def test_ranks_of_five_statements():
    chart = rank_chart(RANKS)
    assert _rows(chart) == {
        "1": ("2", "40.0 %"),
        "2": ("1", "20.0 %"),
        "3": ("0", "0.0 %"),
        "4–5": ("0", "0.0 %"),
        "6–10": ("1", "20.0 %"),
        "not listed": ("1", "20.0 %"),
    }
    assert [row.share for row in chart.rows] == [1, 0.5, 0, 0, 0.5, 0.5]


def test_a_system_that_never_lists_a_right_proof_has_ranks_all_the_same():
    assert _rows(rank_chart(np.full(4, NO_RANK))) == {"not listed": ("4", "100.0 %")}


@given(st.lists(st.integers(0, 3_000), min_size=1))
def test_every_rank_is_in_one_row(ranks):
    chart = rank_chart(np.array(ranks))
    assert sum(int(row.figures[0].replace(",", "")) for row in chart.rows) == len(ranks)
    assert max(row.share for row in chart.rows) == 1


def test_categories_of_five_statements_the_largest_first():
    chart = category_chart(RANKS, ["b", "b", "a", None, "a"])
    assert [(row.label, row.figures[0], row.figures[2]) for row in chart.rows] == [
        ("a", "25.0", "2"),
        ("b", "100.0", "2"),
        ("unknown", "14.3", "1"),
    ]
    assert chart.rows[0].interval == (0, 0.5)


def test_without_categories_all_are_unknown():
    (row,) = category_chart(RANKS, [None] * 5).rows
    assert (row.label, row.figures[0], row.figures[2]) == ("unknown", "52.9", "5")


def test_proofs_by_how_many_chose_them():
    choices = np.array([0, 0, 0, 0, 0, 1, 2, 2])
    rows = _rows(assignment_chart(count_assignments(choices, 8), 8))
    assert rows == {
        "0": ("5", "62.5 %", ""),
        "1": ("1", "12.5 %", ""),
        "2–4": ("1", "12.5 %", "2"),
        "5–9": ("1", "12.5 %", "1"),
        "10–19": ("0", "0.0 %", "0"),
        "≥ 20": ("0", "0.0 %", "0"),
    }


def test_what_one_to_one_matching_changes():
    task, cases = make_task(5), _cases(RANKS, np.array([0, 2, 2, 3, 0]))
    assert {label: row[0] for label, row in _rows(agreement_chart(task, cases)).items()} == {
        "right in both": "1",
        "fixed": "2",
        "broken": "1",
        "wrong in both": "1",
    }
    local, matched = one_to_one_chart(task, cases).rows
    assert (local.share, matched.share) == (0.4, 0.6)


def test_without_a_matching_there_is_nothing_to_compare():
    task, cases = make_task(5), _cases(RANKS, None)
    assert agreement_chart(task, cases) is None
    assert one_to_one_chart(task, cases) is None


def test_the_accuracy_of_the_chart_is_that_of_the_scores_with_its_interval():
    ranks = np.random.default_rng(0).integers(1, 4, 200)
    task, cases = make_task(200), _cases(ranks, np.zeros(200, dtype=np.int64))
    result = make_result(cases.ranking, task, System("x"), "0" * 64)
    local, _ = one_to_one_chart(task, cases).rows
    assert (local.share, local.interval) == (result.measures.accuracy, result.ci95["accuracy"])


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    """Of 40 statements, number n has n + 1 words, and its proof one word and n letters of math."""
    pairs = [Pair("word " * (number + 1), f"word ${'x' * number}$") for number in range(40)]
    folder = write_release(tmp_path_factory.mktemp("toys") / "release", pairs)
    return load_task(open_release(folder), "test")


def _numbers(task):
    return np.array([int(name[1:]) for name in task.statement_ids])


def test_classes_of_texts_are_of_about_equal_size_and_measure_their_own_statements(toys):
    ranks = np.where(_numbers(toys) < 10, 1, 2)  # the short ones are right
    lengths, proof_lengths, math, proof_math = text_charts(toys, ranks)
    assert (lengths.rows[0].label, lengths.rows[0].figures[2]) == ("1–10", "10")
    assert [row.share for row in lengths.rows] == [1, 0, 0, 0]
    assert [row.share for row in proof_lengths.rows] == [1, 0, 0, 0]
    assert [row.label for row in math.rows] == ["0"]  # no math in any: one class
    assert proof_math.rows[0].label == "0–90"
    for chart in (lengths, proof_lengths, proof_math):
        assert all(9 <= int(row.figures[2]) <= 11 for row in chart.rows)
    assert len({chart.caption for chart in (lengths, proof_lengths, math, proof_math)}) == 4


def test_proofs_are_those_of_the_statements_whatever_their_order(toys):
    swapped = replace(toys, gold=toys.gold[::-1].copy())
    ranks = np.where(_numbers(toys) < 10, 1, 2)
    assert [row.share for row in text_charts(swapped, ranks)[1].rows] != [1, 0, 0, 0]


@given(
    st.lists(st.integers(0, 5) | st.integers(0, 10_000), min_size=1, max_size=120),
    st.sampled_from([str, charts._whole]),
)
def test_classes_cover_all_statements(values, written):
    values = np.array(values)
    is_right = (values % 2 == 0).astype(np.float64)
    chart = charts._class_chart("Of numbers", "numbers", "number", values, is_right, written)
    assert sum(int(row.figures[2]) for row in chart.rows) == len(values)
    right = sum(row.share * int(row.figures[2]) for row in chart.rows)
    assert right == pytest.approx(is_right.sum())
    assert 1 <= len(chart.rows) <= 8
