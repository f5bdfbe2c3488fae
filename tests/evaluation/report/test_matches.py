"""Which proof is ranked above the right one and by how much; which wrong matches fit into a page."""

import json
import re
import zlib
from base64 import b64decode
from shutil import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation import evaluate
from proofmatch.evaluation.report.matches import (
    NO_SCORES,
    NOTHING_TO_MATCH,
    TEXTS_IN_CHUNK,
    TextStore,
    collect_wrong,
    packed,
    read_cases,
    unpacked,
)
from proofmatch.evaluation.report.page import write_report
from proofmatch.evaluation.task import load_task
from tests.evaluation.tasks import make_task, rank_file
from tests.evaluation.test_evaluator import EXAMPLE

from .conftest import N_MANY
from .releases import Pair, predict, write_release

N_WRONG = 96  # of those from the tenth on, one in five is right
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


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
    assert cases.ranking.ranks.tolist() == [1, 3, 2, 0, 3]
    assert cases.ranking.first_choices.tolist() == [0, 0, 2, 0, 0]
    assert cases.rivals.tolist() == [0, 0, 4, 0, 0]
    assert cases.margins.tolist()[:3] == [0, 2.5, 0]
    assert np.isnan(cases.margins[3])
    assert cases.margins[4] == 0


def test_without_scores_places_decide_and_nothing_can_be_matched(tmp_path):
    cases = _cases(tmp_path, {0: [0, 1], 1: [0, 1], 2: [0]})
    assert cases.ranking.ranks.tolist() == [1, 2, 0]
    assert cases.rivals.tolist() == [0, 0, 0]
    assert np.isnan(cases.margins).all()
    assert (cases.one_to_one, cases.why_not) == (None, NO_SCORES)


def test_one_proof_for_each_statement_leaves_nothing_to_match(tmp_path):
    cases = _cases(tmp_path, {0: {0: 1.0}, 1: {0: 1.0}})
    assert (cases.one_to_one, cases.why_not) == (None, NOTHING_TO_MATCH)


def test_one_to_one_matching_fixes_a_proof_that_two_statements_prefer(tmp_path):
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
def test_a_wrong_statement_has_a_rival_that_is_another_proof_and_scores_no_less(tmp_path_factory, data):
    n = 4
    lists = {}
    for statement in range(n):
        proofs = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True))
        scores = sorted((data.draw(st.integers(0, 3)) for _ in proofs), reverse=True)
        lists[statement] = dict(zip(proofs, map(float, scores), strict=True))
    path = predict(tmp_path_factory.mktemp("cases") / "x.jsonl", lists)
    task = make_task(n, data.draw(st.permutations(range(n))))
    cases, ranking = read_cases(path, task), rank_file(path, task)
    assert cases.ranking.ranks.tolist() == ranking.ranks.tolist()
    assert cases.ranking.first_choices.tolist() == ranking.first_choices.tolist()
    for statement, listed in lists.items():
        rival, gold = int(cases.rivals[statement]), int(task.gold[statement])
        if ranking.ranks[statement] == 1:
            continue
        assert rival != gold
        assert listed[rival] == max(listed.values())
        if gold in listed:
            assert cases.margins[statement] == listed[rival] - listed[gold] >= 0
        else:
            assert np.isnan(cases.margins[statement])


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
    chunks = [unpacked(chunk) for chunk in store.chunks(count)]
    assert [text for chunk in chunks for text in chunk] == [[f"Text {number}"] for number in range(count)]
    assert all(len(chunk) == TEXTS_IN_CHUNK for chunk in chunks[:-1])
    for number in range(count):
        found = chunks[number // TEXTS_IN_CHUNK][number % TEXTS_IN_CHUNK]
        assert found == [f"Text {store.number(f'proof {number}')}"]


def test_the_size_is_that_of_complete_chunks():
    store = TextStore()
    for number in range(130):
        store.add(str(number), [str(number)])
    assert store.size == sum(len(chunk) for chunk in store.chunks(128))


def _collection(folder, pairs, lists, spare_proofs=(), room=10**9):
    task = load_task(open_release(write_release(folder / "release", pairs, spare_proofs)), "test")
    return collect_wrong(task, read_cases(predict(folder / "x.jsonl", lists), task), room)


def _entries(page):
    (index,) = re.findall(r'id="index">([^<]*)<', page.read_text())
    return unpacked(index)


def _texts(page):
    pieces = re.findall(r'id="texts-\d+">([^<]*)<', page.read_text())
    return [text for piece in pieces for text in unpacked(piece)]


def test_an_entry_has_all_that_the_page_says_of_a_match(tmp_path):
    pairs = [
        Pair("If $x$.", "By $x$.", "math.AG", "On x", "theorem", "a.1", "a.html#1"),
        Pair("Let $y$.", "As $y$.", None, None, "lemma", "a.2"),
    ]
    collection = _collection(tmp_path, pairs, {0: {1: 3.0, 0: 1.87654321}, 1: {1: 5.0, 0: 2.0}})
    (entry,) = collection.entries
    texts = unpacked(collection.first(1).texts[0])
    assert [texts[number] for number in entry.pop("texts")] == [
        ["If ", ["math", ["mi", "x"]], "."],
        ["By ", ["math", ["mi", "x"]], "."],
        ["As ", ["math", ["mi", "y"]], "."],
        ["Let ", ["math", ["mi", "y"]], "."],  # what the predicted proof proves
    ]
    assert entry == {
        "id": "s0",
        "proofs": ["p0", "p1"],
        "rank": 2,
        "margin": 1.123,
        "category": "math.AG",
        "kind": "theorem",
        "title": "On x",
        "article": "a.1",
        "source": "a.html#1",
        "rival_title": "a.2",  # where there is no title
        "rival_kind": "lemma",
        "rival_source": None,
        "outcome": "fixed",
        "chosen": 2,
        "classes": [],
        "same": False,
        "plain": "If x.",
    }


def test_ranks_margins_and_categories_may_be_unknown(tmp_path):
    (entry,) = _collection(tmp_path, [Pair("A", "B", None), Pair("C", "D")], {0: [1], 1: [1]}).entries
    found = entry["rank"], entry["margin"], entry["category"], entry["outcome"]
    assert found == (None, None, "unknown", None)


def test_a_margin_beyond_all_numbers_is_unknown(tmp_path):
    collection = _collection(
        tmp_path, [Pair("A", "B"), Pair("C", "D")], {0: {1: 1e308, 0: -1e308}, 1: {1: 1.0}}
    )
    assert unpacked(collection.first(1).index)["margin"] == [None]


def test_proofs_with_the_same_text_are_told(tmp_path):
    pairs = [Pair("A", "Clear."), Pair("B", "Clear."), Pair("C", "Not clear.")]
    lists = {0: {1: 2.0, 0: 1.0}, 1: {2: 2.0, 1: 1.0}, 2: {2: 1.0}}
    same = {entry["id"]: entry["same"] for entry in _collection(tmp_path, pairs, lists).entries}
    assert same == {"s0": True, "s1": False}


def test_a_predicted_proof_may_belong_to_no_statement(tmp_path):
    collection = _collection(
        tmp_path, [Pair("A", "B"), Pair("C", "D")], {0: {2: 1.0}, 1: {1: 1.0}}, ["Spare."]
    )
    (entry,) = collection.entries
    assert entry["proofs"] == ["p0", "p2"]
    assert (entry["rival_title"], entry["rival_kind"]) == (None, None)
    assert len(entry["texts"]) == 3


def test_every_text_is_there_once(report_of_many):
    texts = _texts(report_of_many)
    assert len(texts) == len({str(text) for text in texts})
    entries = _entries(report_of_many)
    assert sorted({number for numbers in entries["texts"] for number in numbers}) == list(range(len(texts)))
    assert len(entries["id"]) == len(set(entries["id"])) == N_WRONG + entries["outcome"].count("broken")


@pytest.fixture(scope="module")
def megabytes_for(report_of_many):
    """How large a page with so much of the data would be."""
    data = sum(
        len(found) for found in re.findall(r'octet-stream" id="[^"]*">([^<]*)<', report_of_many.read_text())
    )
    without = report_of_many.stat().st_size - data
    return lambda share: (without + share * data) / 1e6


@pytest.mark.parametrize("share", [-1, 0, 0.01, 0.1, 0.5, 0.99, 1, 100])
def test_the_page_is_never_larger_than_it_may_be(share, megabytes_for, many, report_of_many, tmp_path):
    release, predictions = many
    page, megabytes = tmp_path / "report.html", megabytes_for(share)
    if share < 0:
        with pytest.raises(ProofmatchError, match="--max-mb"):
            write_report(predictions, release, out=page, max_megabytes=megabytes)
        assert not page.exists()
        return
    wrong = write_report(predictions, release, out=page, max_megabytes=megabytes)
    assert page.stat().st_size <= megabytes * 1e6
    assert wrong.total == N_WRONG
    if share >= 1:
        assert page.read_bytes() == report_of_many.read_bytes()
        return
    assert wrong.listed < wrong.total
    if wrong.listed:
        # There is hardly room for another one, which takes less than a kilobyte.
        assert page.stat().st_size > megabytes * 1e6 - 2_000
        assert f"{wrong.listed} of {wrong.total} wrong matches" in page.read_text()
        whole = _entries(report_of_many)
        listed = wrong.listed + wrong.broken
        assert _entries(page) == {name: column[:listed] for name, column in whole.items()}
        used = {number for numbers in _entries(page)["texts"] for number in numbers}
        assert len(_texts(page)) == len(used)  # none of those that were left out


def test_collecting_ends_where_there_is_no_room(many):
    release, predictions = many
    task = load_task(open_release(release), "test")
    collection = collect_wrong(task, read_cases(predictions, task), 2_000)
    assert 0 < len(collection.entries) < N_WRONG
    assert collection.total == N_WRONG


def test_which_ones_are_shown_does_not_depend_on_the_order_of_the_file(many, megabytes_for, tmp_path):
    release, predictions = many
    lines = predictions.read_text().splitlines(keepends=True)
    shuffled = tmp_path / predictions.name
    shuffled.write_text("".join(sorted(lines, key=lambda line: line[::-1])))
    copy(f"{predictions}.system.json", tmp_path)  # the name of the system takes room on the page
    pages = [tmp_path / "a.html", tmp_path / "b.html"]
    for source, page in zip((predictions, shuffled), pages, strict=True):
        write_report(source, release, out=page, max_megabytes=megabytes_for(0.5))
    assert 0 < len(_entries(pages[0])["id"]) < N_WRONG
    assert _entries(pages[0]) == _entries(pages[1])


def test_those_that_are_left_out_are_like_those_that_are_not(many, megabytes_for, tmp_path):
    release, predictions = many
    wrong = write_report(predictions, release, out=tmp_path / "x.html", max_megabytes=megabytes_for(0.5))
    numbers = [int(name[1:]) for name in _entries(tmp_path / "x.html")["id"]]
    assert len(numbers) == wrong.listed + wrong.broken
    assert min(numbers) < N_MANY / 4
    assert max(numbers) > 3 * N_MANY / 4
    assert wrong.categories == ["math.AC", "math.AG", "math.NT"]


def test_a_page_without_room_for_a_match_says_so(tmp_path, visit):
    long = [Pair("word " * 9, " ".join(str(number**7) for number in range(40_000))), Pair("B", "C")]
    release = write_release(tmp_path / "long", long)
    predictions = predict(tmp_path / "x.jsonl", {0: {1: 1.0, 0: 0.5}, 1: {1: 1.0}})
    wrong = write_report(predictions, release, out=tmp_path / "page.html", max_megabytes=0.1)
    assert (wrong.listed, wrong.total) == (0, 1)
    seen = visit(tmp_path / "page.html")
    assert "None of the 1 wrong matches fits" in seen.page.inner_text("main")
    assert seen.page.locator("#browser").count() == 0
