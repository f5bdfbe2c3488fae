"""Only comparable results are on one board, the release describes it, and only checked rows have ranks."""

import json
from dataclasses import replace

import numpy as np
import pytest

from proofmatch import __version__
from proofmatch.builder.release.release import open_release
from proofmatch.builder.variants.variant import make_variant
from proofmatch.cli import main
from proofmatch.evaluation.leaderboard import make_leaderboard
from proofmatch.evaluation.leaderboard.boards import make_boards
from proofmatch.evaluation.leaderboard.checking import check_folder, open_checker
from proofmatch.evaluation.leaderboard.published import add_published, read_published
from proofmatch.evaluation.leaderboard.resemblance import skeleton
from proofmatch.evaluation.metrics import NEARLY_ONE_TO_ONE, ONE_PROOF_EACH, ONE_TO_ONE, RANKING, see_decoding
from tests.conftest import SHARED
from tests.evaluation.leaderboard.editing import (
    copied,
    copied_whole,
    edit,
    evaluated,
    predictions_of,
    put,
    reversed_lists,
    sidecar_of,
)


def boards_of(folder, release=()):
    checker = open_checker(release, strict=False)
    checked = check_folder(folder, checker)
    assert not checked.faults
    return make_boards(checked.entries, checker.releases)


def test_a_row_has_all_decodings_of_a_system(results, release):
    plain, by_article, transductive = boards_of(results, release)
    assert [(row.system, row.input) for row in plain.rows].count(("tfidf", "both")) == 1
    row = next(row for row in plain.rows if row.input == "both" and row.system == "tfidf")
    assert row.scores.keys() == {"mrr", "accuracy", "one_to_one"}
    assert row.scores["one_to_one"].file == "tfidf-global.result.json"
    assert row.kind == "baseline"
    assert by_article.config == "pairs_by_article"
    assert transductive.transductive
    assert [row.normalization for row in transductive.rows] == ["sinkhorn, temperature 0.05, 20 rounds"]


def test_a_board_is_described_by_its_release(one, release):
    (board,) = boards_of(one, release)
    opened = open_release(release)
    assert (board.dataset, board.revision, board.manifest_sha256) == (opened.id, None, opened.manifest_sha256)
    assert (board.n_statements, board.evaluator, board.verified) == (
        opened.table("statements", "test", ["statement_id"]).num_rows,
        __version__,
        True,
    )


def test_checked_rows_are_sorted_and_ranked_by_mrr_and_equals_share_a_place(results, release):
    copied_whole(results / "tfidf-local.result.json", "twin", release, name="twin")
    plain, *_ = boards_of(results, release)
    values = [row.scores["mrr"].value for row in plain.rows]
    assert values == sorted(values, reverse=True)
    ranks = {(row.system, row.input): row.ranks["mrr"] for row in plain.rows}
    assert ranks["twin", "both"] == ranks["tfidf", "both"]


@pytest.mark.parametrize(
    "change",
    [
        put("dataset", "manifest_sha256", value="0" * 64),
        put("dataset", "split", value="validation"),
        put("dataset", "config", value="pairs_by_article"),
        put("system", "transductive", value=True),
    ],
)
def test_what_cannot_be_compared_has_a_board_of_its_own(one, change):
    copied(one / "tfidf-local.result.json", "other.json", change)
    first, second = boards_of(one)
    assert len(first.rows) == len(second.rows) == 1
    assert first.slug != second.slug


def test_without_a_release_nothing_is_verified_and_nothing_has_a_rank(results):
    boards = boards_of(results)
    assert not any(board.verified or board.evaluator for board in boards)
    assert not any(row.ranks or row.checked for board in boards for row in board.rows)


def test_other_rules_are_said(one, release):
    copied(one / "tfidf-local.result.json", "other.json", put("evaluator", "tie_rule", value="lenient"))
    (board,) = boards_of(one, release)
    checked, other = board.rows
    assert not checked.remarks
    assert any("rule" in remark for remark in other.remarks)


def test_results_of_two_folders_are_never_one_row(results, release):
    (results / "elsewhere").mkdir()
    for path in results.glob("tfidf-global.*"):
        path.rename(results / "elsewhere" / path.name)
    plain, *_ = boards_of(results, release)
    rows = [row for row in plain.rows if (row.system, row.input) == ("tfidf", "both")]
    assert [row.scores.keys() for row in rows] == [{"mrr", "accuracy"}, {"one_to_one"}]
    assert [row.origin for row in rows] == ["tfidf-local.result.json", "elsewhere/tfidf-global.result.json"]


def test_what_is_not_checked_is_in_rows_of_its_own(results, release):
    (results / "tfidf-global.jsonl").unlink()
    plain, *_ = boards_of(results, release)
    rows = [row for row in plain.rows if (row.system, row.input) == ("tfidf", "both")]
    assert [(row.checked, row.scores.keys()) for row in rows] == [
        (True, {"mrr", "accuracy"}),
        (False, {"one_to_one"}),
    ]
    assert [row.checked for row in plain.rows] == sorted((row.checked for row in plain.rows), reverse=True)


def test_the_same_system_twice_is_two_rows_that_can_be_told_apart(one, release):
    copied(one / "tfidf-local.result.json", "again.json")
    copied(one / "tfidf-local.result.json", "more.json")
    (board,) = boards_of(one, release)
    assert sorted(row.origin for row in board.rows) == ["again.json", "more.json", "tfidf-local.result.json"]


@pytest.mark.parametrize(
    ("length", "wrong", "repeated", "seen"),
    [
        (500, 100, 80, RANKING),
        (500, 100, 37, RANKING),
        (500, 100, 24, NEARLY_ONE_TO_ONE),
        (500, 100, 1, NEARLY_ONE_TO_ONE),
        (500, 100, 0, ONE_TO_ONE),
        (500, 0, 0, ONE_TO_ONE),
        (1, 100, 80, ONE_PROOF_EACH),
        (1, 100, 1, NEARLY_ONE_TO_ONE),
        (500, 8, 1, RANKING),
    ],
)
def test_a_matching_is_seen_in_its_first_choices(length, wrong, repeated, seen):
    gold = np.arange(1000)
    choices = gold.copy()
    choices[:wrong] = np.roll(choices[:wrong], 1)  # a matching
    choices[:repeated] = 999  # of which these all choose the proof of another statement
    assert see_decoding(choices, gold, length) == seen


def test_a_decoding_of_ones_own_is_said(one, release):
    edit(one / "tfidf-local.jsonl.system.json", put("decoding", value="greedy"))
    edit(one / "tfidf-local.result.json", put("system", "decoding", value="greedy"))
    (board,) = boards_of(one, release)
    assert board.rows[0].scores["mrr"].remark == "greedy"


def test_odd_extra_fields_do_no_harm(one):
    def odd(content):
        content["system"] |= {"training_seconds": "long", "details": [1]}
        content["system"].pop("input")

    edit(one / "tfidf-local.result.json", odd)
    ((row,),) = [board.rows for board in boards_of(one)]
    assert row.training_minutes is None
    assert row.input is None


@pytest.mark.parametrize(
    ("one", "other"), [("fast", "fаst"), ("modern", "modem"), ("seed l", "seed 1"), ("A0", "AO")]
)
def test_names_that_look_alike_have_one_skeleton(one, other):
    assert one != other
    assert skeleton(one) == skeleton(other)


def test_other_names_have_other_skeletons():
    names = ["fast", "fast 2", "best", "quick", "tfidf", "bm25", "paper, local", "paper, hybrid"]
    assert len(set(map(skeleton, names))) == len(names)


@pytest.mark.parametrize("name", ["TF-IDF", "tfidf", "tfіdf"])
def test_resembling_names_are_pointed_out(one, release, name):
    other = copied_whole(one / "tfidf-local.result.json", "other/x", release, name=name)
    reversed_lists(predictions_of(other))
    evaluated(other.with_name("x.jsonl"), release)
    (board,) = boards_of(one, release)
    first, second = board.rows
    assert any("name" in remark and "other/x.result.json" in remark for remark in first.remarks)
    assert any("name" in remark and "“tfidf”" in remark for remark in second.remarks)
    predictions_of(other).unlink()
    (board,) = boards_of(one, release)
    assert [bool(row.remarks) for row in board.rows] == [False, True]  # nobody marks the row of another


def test_decodings_of_one_system_do_not_resemble_each_other(results, release):
    assert not any(row.remarks for board in boards_of(results, release) for row in board.rows)


def test_a_system_that_may_have_seen_the_answers_has_no_rank(results, release):
    other = copied_whole(results / "tfidf-local.result.json", "other", release, name="other")
    seen = [{"release": "x", "manifest_sha256": open_release(release).manifest_sha256, "splits": ["test"]}]
    edit(sidecar_of(predictions_of(other)), put("trained_on", value=seen))
    evaluated(predictions_of(other), release, "--allow-seen")
    plain, *_ = boards_of(results, release)
    row = next(row for row in plain.other_rows if row.system == "other")
    assert row.checked
    assert not row.ranks
    assert "may have seen" in row.remarks[0]
    assert [row.ranks["mrr"] for row in plain.ranked_rows] == [1, 2, 3]


def test_who_and_when_are_shown_if_they_are_said(one, release):
    described = {"submitter": " Ada  Lovelace", "date": "2026-01-31"}
    edit(one / "tfidf-local.jsonl.system.json", lambda system: system.update(described))
    options = ["--data", str(release), "--out", str(one / "tfidf-local.result.json")]
    assert main(["evaluate", str(one / "tfidf-local.jsonl"), *options]) == 0
    written = json.loads((one / "tfidf-local.result.json").read_text())
    assert written["system"]["submitter"] == "Ada Lovelace"
    ((row,),) = [board.rows for board in boards_of(one, release)]
    assert (row.submitter, row.date, row.checked) == ("Ada Lovelace", "2026-01-31", True)


def test_the_papers_figures_have_boards_of_their_own_and_no_places(results, release):
    boards = add_published(boards_of(results, release), read_published())
    own = [board for board in boards if board.manifest_sha256 is None]
    assert [board.split for board in own] == ["test", "validation"]
    for board in boards:
        assert {row.kind == "reported" for row in board.rows} == {board.manifest_sha256 is None}
    assert not any(row.ranks for board in own for row in board.rows)


def test_on_a_release_of_the_published_corpus_they_are_marked_rows(one, release):
    (board,) = boards_of(one, release)
    known = replace(read_published(), manifests=frozenset({board.manifest_sha256}))
    joint, rest = add_published([board], known)
    assert [row.kind for row in joint.rows].count("reported") == 12
    assert [row.system for row in joint.rows if row.ranks] == ["tfidf"]
    assert rest.split == "validation"
    unverified = add_published(boards_of(one), known)
    assert all(row.kind != "reported" for row in unverified[0].rows)


def test_the_papers_figures_are_those_of_the_paper():
    papers = sorted((SHARED / "paper").glob("*.txt")) if (SHARED / "paper").is_dir() else []
    if not papers:
        pytest.skip("no paper beside the repository (../shared/paper)")
    text = papers[0].read_text()
    lines = {
        line.replace("\\textbf{", "").replace("}", "").replace("\\\\", "").strip()
        for line in text.splitlines()
    }
    lines = {" ".join(line.replace("&", " ").split()) for line in lines}
    for split, rows in read_published().rows.items():
        found = {(row.system, row.input): row.scores for row in rows}
        local, trained = "Self-attentive model, local training", "Self-attentive model, global training"
        for (system, reads), scores in found.items():
            figures = [f"{100 * score.value:.1f}" for score in scores.values()]
            if system in ("Dice", "TF-IDF"):
                line = f"{reads.title()} {system} {' '.join(figures)}"
            elif system == local:
                last = found[trained, reads]["one_to_one"].value
                line = f"{reads.title()} {' '.join(figures)} {100 * last:.1f}"
            else:
                continue
            assert line in lines, (split, line)


def test_boards_have_names_in_words(release, tmp_path):
    renamed = make_variant(release, tmp_path / "renamed", symbols="full")
    for name, data in (("plain", release), ("other", renamed)):
        predictions = tmp_path / "results" / name / "dice.jsonl"
        predictions.parent.mkdir(parents=True)
        for arguments in (
            ["baseline", "dice", "--data", str(data), "--out", str(predictions)],
            [
                "evaluate",
                str(predictions),
                "--data",
                str(data),
                "--out",
                str(predictions.with_suffix(".result.json")),
            ],
        ):
            assert main(arguments) == 0
    made = make_leaderboard(tmp_path / "results", tmp_path / "site", [release, renamed])
    titles = [board.title for board in made.boards if board.verified]
    assert titles == ["release: test split", "release, all variables renamed: test split"]
