"""Pinned here: who stands before the right proof and by how much; matchings are as elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.report.cases import NO_SCORES, NOTHING_TO_MATCH, read_cases
from proofmatch.evaluation.task import load_task
from tests.evaluation.tasks import make_task, rank_file
from tests.evaluation.test_evaluator import EXAMPLE

from .releases import predict


def _cases(tmp_path, lists, gold=None):
    return read_cases(predict(tmp_path / "x.jsonl", lists), make_task(len(lists), gold))


def test_ranks_rivals_and_margins_worked_by_hand(tmp_path):
    cases = _cases(
        tmp_path,
        {
            3: {0: 2.0, 1: 1.5},  # the right one is not listed
            0: {0: 3.0, 1: 1.0},  # right
            1: {0: 3.0, 2: 2.0, 1: 0.5},
            2: {2: 1.0, 4: 1.0, 0: 0.0},  # listed first, and another is as good
            4: {0: 1.0, 4: 1.0, 2: 1.0},  # the same in another order
        },
    )
    assert cases.judgement.ranks.tolist() == [1, 3, 2, 0, 3]
    assert cases.judgement.first_choices.tolist() == [0, 0, 2, 0, 0]
    assert cases.rivals.tolist() == [0, 0, 4, 0, 0]
    assert cases.margins.tolist()[:3] == [0, 2.5, 0]
    assert np.isnan(cases.margins[3])
    assert cases.margins[4] == 0


def test_without_scores_places_decide_and_nothing_can_be_matched(tmp_path):
    cases = _cases(tmp_path, {0: [0, 1], 1: [0, 1], 2: [0]})
    assert cases.judgement.ranks.tolist() == [1, 2, 0]
    assert cases.rivals.tolist() == [0, 0, 0]
    assert np.isnan(cases.margins).all()
    assert (cases.one_to_one, cases.why_not) == (None, NO_SCORES)


def test_one_proof_for_each_statement_leaves_nothing_to_match(tmp_path):
    cases = _cases(tmp_path, {0: {0: 1.0}, 1: {0: 1.0}})
    assert (cases.one_to_one, cases.why_not) == (None, NOTHING_TO_MATCH)


def test_one_to_one_matching_mends_what_two_statements_want(tmp_path):
    cases = _cases(tmp_path, {0: {0: 3.0, 1: 1.0}, 1: {0: 2.5, 1: 2.0}})
    assert cases.one_to_one.tolist() == [0, 1]
    assert cases.why_not is None


def test_margins_of_huge_scores_are_no_fault(tmp_path):
    cases = _cases(tmp_path, {0: {1: 1e308, 0: -1e308}, 1: {1: 1.0, 0: 0.5}})
    assert cases.margins.tolist() == [np.inf, 0]


@pytest.fixture(scope="module")
def task(release):
    return load_task(open_release(release), "test")


def test_the_matching_is_that_of_the_command(release, task, tmp_path):
    matched = tmp_path / "matched.jsonl"
    assert main(["match", str(EXAMPLE), "--out", str(matched)]) == 0
    cases = read_cases(EXAMPLE, task)
    accuracy = float((cases.one_to_one == task.gold).mean())
    assert accuracy == evaluate(matched, release).measures.accuracy
    assert cases.one_to_one.tolist() == rank_file(matched, task).first_choices.tolist()


@given(st.data())
def test_whoever_is_wrong_has_a_rival_that_is_not_the_right_proof_and_no_worse(tmp_path_factory, data):
    n = 4
    lists = {}
    for statement in range(n):
        proofs = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
        scores = sorted((data.draw(st.integers(0, 3)) for _ in proofs), reverse=True)
        lists[statement] = dict(zip(proofs, map(float, scores), strict=True))
    path = predict(tmp_path_factory.mktemp("cases") / "x.jsonl", lists)
    task = make_task(n, data.draw(st.permutations(range(n))))
    cases, judged = read_cases(path, task), rank_file(path, task)
    assert cases.judgement.ranks.tolist() == judged.ranks.tolist()
    assert cases.judgement.first_choices.tolist() == judged.first_choices.tolist()
    for statement, listed in lists.items():
        rival, gold = int(cases.rivals[statement]), int(task.gold[statement])
        if judged.ranks[statement] == 1:
            continue
        assert rival != gold
        assert listed[rival] == max(listed.values())
        if gold in listed:
            assert cases.margins[statement] == listed[rival] - listed[gold] >= 0
        else:
            assert np.isnan(cases.margins[statement])
