"""Only comparable results are on one board, and marked rows have no rank."""

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.leaderboard.boards import make_boards
from proofmatch.evaluation.leaderboard.published import add_published, read_published
from proofmatch.evaluation.leaderboard.results import find_results
from tests.conftest import SHARED
from tests.evaluation.leaderboard.editing import copied, edit, put


def boards_of(folder):
    found = find_results(folder)
    found.refuse_if_faulty()
    return make_boards(found.submissions)


def test_a_row_has_all_decodings_of_a_system(results):
    plain, by_article, transductive = boards_of(results)
    assert [(row.system, row.input) for row in plain.rows].count(("tfidf", "both")) == 1
    row = next(row for row in plain.rows if row.input == "both" and row.system == "tfidf")
    assert row.scores.keys() == {"mrr", "accuracy", "one_to_one"}
    assert row.scores["one_to_one"].file == "tfidf-global.result.json"
    assert row.kind == "baseline"
    assert by_article.config == "pairs_by_article"
    assert transductive.transductive
    assert [row.normalization for row in transductive.rows] == ["sinkhorn, temperature 0.05, 20 rounds"]


def test_rows_are_sorted_and_ranked_by_mrr_and_equals_share_a_place(results):
    copied(results / "tfidf-local.result.json", "twin.json", put("system", "name", value="twin"))
    plain, *_ = boards_of(results)
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
        put("evaluator", "tie_rule", value="the gold proof ranks first"),
    ],
)
def test_what_cannot_be_compared_has_a_board_of_its_own(one, change):
    copied(one / "tfidf-local.result.json", "other.json", change)
    first, second = boards_of(one)
    assert len(first.rows) == len(second.rows) == 1
    assert first.slug != second.slug
    assert first.rows[0].ranks["mrr"] == second.rows[0].ranks["mrr"] == 1


def test_another_tie_rule_is_said(one):
    copied(one / "tfidf-local.result.json", "other.json", put("evaluator", "tie_rule", value="lenient"))
    assert [board.has_other_tie_rule for board in boards_of(one)] == [False, True]


def test_another_version_of_the_evaluator_has_no_place(one):
    def older(content):
        content["system"]["name"] = "older"
        content["evaluator"]["version"] = "0.0.9"
        content["scores"]["mrr"] = 1.0

    copied(one / "tfidf-local.result.json", "older.json", older)
    (board,) = boards_of(one)
    assert board.evaluator != "0.0.9"
    assert [(row.system, row.ranks.get("mrr")) for row in board.rows] == [("older", None), ("tfidf", 1)]


@pytest.mark.parametrize("newer", ["0.10.0", "00.9.10", "1" * 5000])
def test_the_newest_version_is_found_by_its_numbers_however_long(one, newer):
    edit(one / "tfidf-local.result.json", put("evaluator", "version", value="0.9.9"))
    copied(one / "tfidf-local.result.json", "newer.json", put("evaluator", "version", value=newer))
    edit(one / "newer.json", put("system", "name", value="newer"))
    (board,) = boards_of(one)
    assert board.evaluator == newer


def test_the_name_of_a_release_does_not_matter_but_its_hash(one):
    def on_the_hub(content):
        content["system"]["name"] = "hub"
        content["dataset"] |= {"id": "ada/proofs", "revision": "0" * 40}

    copied(one / "tfidf-local.result.json", "hub.json", on_the_hub)
    (board,) = boards_of(one)
    assert board.dataset == "ada/proofs"
    assert len(board.rows) == 2


def test_the_same_system_twice_is_refused_with_both_files(one):
    copied(one / "tfidf-local.result.json", "again.json")
    with pytest.raises(ProofmatchError, match=r"tfidf-local.result.json.*in again.json"):
        boards_of(one)


def test_results_that_disagree_on_the_size_of_a_split_are_refused(one):
    def other(content):
        content["system"]["name"] = "other"
        content["n_statements"] += 1

    copied(one / "tfidf-local.result.json", "other.json", other)
    with pytest.raises(ProofmatchError, match="different size"):
        boards_of(one)


@pytest.mark.parametrize(("one_to_one", "score"), [(True, "one_to_one"), (False, "mrr")])
def test_an_unknown_decoding_is_judged_by_the_first_choices(one, one_to_one, score):
    def other(content):
        content["system"]["decoding"] = "greedy"
        content["scores"]["one_to_one"] = one_to_one

    edit(one / "tfidf-local.result.json", other)
    ((row,),) = [board.rows for board in boards_of(one)]
    assert score in row.scores
    assert row.scores[score].remark == "greedy"


def test_odd_extra_fields_do_no_harm(one):
    def odd(content):
        content["system"] |= {"training_seconds": "long", "details": [1]}
        content["system"].pop("input")

    edit(one / "tfidf-local.result.json", odd)
    ((row,),) = [board.rows for board in boards_of(one)]
    assert row.training_minutes is None
    assert row.input is None


def test_the_papers_figures_have_boards_of_their_own_and_no_places(results):
    boards = add_published(boards_of(results), read_published())
    own = [board for board in boards if board.manifest_sha256 is None]
    assert [board.split for board in own] == ["test", "validation"]
    for board in boards:
        assert {row.kind == "reported" for row in board.rows} == {board.manifest_sha256 is None}
    assert not any(row.ranks for board in own for row in board.rows)


def test_on_a_release_of_the_published_corpus_they_are_marked_rows(one):
    reference = read_published()
    (board,) = boards_of(one)
    known = type(reference)(
        **{name: getattr(reference, name) for name in reference.__dataclass_fields__}
        | {"manifests": frozenset({board.manifest_sha256})}
    )
    joint, rest = add_published([board], known)
    assert [row.kind for row in joint.rows].count("reported") == 12
    assert [row.system for row in joint.rows if row.ranks] == ["tfidf"]
    assert rest.split == "validation"


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
