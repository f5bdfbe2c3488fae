"""The folder of the site: the same bytes every time, and no file of others is overwritten."""

import json
import re
from pathlib import Path

import pytest
import yaml

from proofmatch.cli import main
from proofmatch.errors import CheckFailed, ProofmatchError
from proofmatch.evaluation.leaderboard import make_leaderboard
from proofmatch.evaluation.leaderboard.site import write_site
from tests.evaluation.leaderboard.editing import copied, edit, put, understate


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_site_has_its_pages_its_data_and_copies_of_the_results(results, tmp_path):
    made = make_leaderboard(results, tmp_path / "site")
    files = content(tmp_path / "site")
    copies = {f"results/{path.relative_to(results)}" for path in results.rglob("*.result.json")}
    assert files.keys() == {"index.html", "submit.html", "leaderboard.json", "README.md", *copies}
    document = json.loads(files["leaderboard.json"])
    assert document["files"] == sorted(files)
    assert [board["id"] for board in document["boards"]] == [board.slug for board in made.boards]
    assert not any(row["checked"] for board in document["boards"] for row in board["rows"])
    for board in document["boards"]:
        for row in board["rows"]:
            for score in row["scores"].values():
                assert score["file"] is None or f"results/{score['file']}" in files


def test_every_field_of_the_data_is_described_in_the_readme(results, tmp_path):
    make_leaderboard(results, tmp_path / "site")
    readme = (tmp_path / "site" / "README.md").read_text()
    document = json.loads((tmp_path / "site" / "leaderboard.json").read_text())
    board = document["boards"][0]
    row = board["rows"][0]
    score = next(iter(row["scores"].values()))
    for name in [*document, *board, *row, *score]:
        assert f"`{name}`" in readme, name


def test_the_card_is_that_of_a_static_space(results, tmp_path):
    def on_the_hub(content):
        content["dataset"] |= {"id": "ada/proofs", "revision": "0" * 40}

    edit(results / "by-article" / "dice.result.json", on_the_hub)
    make_leaderboard(results, tmp_path / "site")
    card = yaml.safe_load((tmp_path / "site" / "README.md").read_text().split("---")[1])
    assert card["sdk"] == "static"
    assert card["app_file"] == "index.html"
    assert "datasets" not in card  # the site was made without the release


def test_the_same_results_give_the_same_bytes_and_are_not_written_again(results, tmp_path):
    first = make_leaderboard(results, tmp_path / "site").folder
    before = content(first)
    times = {path: path.stat().st_mtime_ns for path in first.rglob("*") if path.is_file()}
    make_leaderboard(results, first)
    assert content(first) == before
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert content(make_leaderboard(results, tmp_path / "second").folder) == before


def test_files_of_an_earlier_site_go_and_hidden_ones_stay(results, tmp_path):
    site = make_leaderboard(results, tmp_path / "site").folder
    (site / ".git").mkdir()
    (site / ".git" / "HEAD").write_text("ref")
    for path in (results / "by-article").iterdir():
        path.unlink()
    make_leaderboard(results, site)
    assert not (site / "results" / "by-article").exists()
    assert (site / ".git" / "HEAD").exists()


def test_a_folder_with_other_things_is_refused_and_left_as_it_is(results, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "thesis.tex").write_text("mine")
    with pytest.raises(ProofmatchError, match=r"has thesis.tex, which no leaderboard wrote"):
        make_leaderboard(results, site)
    assert content(site) == {"thesis.tex": b"mine"}
    (site / "thesis.tex").unlink()
    make_leaderboard(results, site)
    (site / "notes.txt").write_text("mine")
    with pytest.raises(ProofmatchError, match=r"has notes.txt"):
        make_leaderboard(results, site)


def test_a_file_of_the_same_name_by_somebody_else_is_not_taken_for_ours(results, tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "leaderboard.json").write_text('{"files": ["leaderboard.json"]}')
    with pytest.raises(ProofmatchError, match=r"leaderboard.json, which no leaderboard wrote"):
        make_leaderboard(results, tmp_path / "site")


@pytest.mark.parametrize("place", ["results", "results/site", "results/by-article/site"])
def test_a_site_among_the_results_is_refused(results, tmp_path, place):
    with pytest.raises(ProofmatchError, match="taken for results"):
        make_leaderboard(results, tmp_path / place)


def test_a_listed_path_that_leads_elsewhere_is_not_deleted(results, tmp_path):
    site = make_leaderboard(results, tmp_path / "site").folder
    (tmp_path / "mine.txt").write_text("mine")
    edit(site / "leaderboard.json", lambda document: document["files"].append("../mine.txt"))
    make_leaderboard(results, site)
    assert (tmp_path / "mine.txt").exists()


def test_an_interrupted_run_is_finished_by_the_next(results, tmp_path, monkeypatch):
    site = tmp_path / "site"
    with monkeypatch.context() as patch:
        written = []

        def stop(path, data):
            if len(written) == 2:
                raise KeyboardInterrupt
            written.append(path)
            with path.open("wb") as file:
                return file.write(data)

        patch.setattr(Path, "write_bytes", stop)
        with pytest.raises(KeyboardInterrupt):
            make_leaderboard(results, site)
    assert len(content(site)) == 2
    make_leaderboard(results, site)
    assert (site / "index.html").exists()


def test_what_has_predictions_is_computed_anew_and_ranked(results, release, tmp_path):
    (results / "dice-local.jsonl").unlink()
    made = make_leaderboard(results, tmp_path / "site", release)
    assert (made.n_results, made.n_checked, made.n_refused) == (6, 5, 0)
    ranks = {(row.system, row.input): bool(row.ranks) for row in made.boards[0].rows}
    assert ranks == {("tfidf", "both"): True, ("tfidf", "text"): True, ("dice", "both"): False}
    with pytest.raises(CheckFailed, match="predictions are missing"):
        make_leaderboard(results, tmp_path / "site", release, strict=True)


def test_results_of_another_evaluator_are_shown_with_the_scores_of_this_one(one, release, tmp_path):
    honest = make_leaderboard(one, tmp_path / "honest", release).boards[0].rows[0]

    edit(one / "tfidf-local.result.json", put("evaluator", "version", value="0.0.9"))
    edit(one / "tfidf-local.result.json", understate)
    made = make_leaderboard(one, tmp_path / "site", release)
    assert made.boards[0].rows[0].scores == honest.scores
    copy = json.loads((tmp_path / "site" / "results" / "tfidf-local.result.json").read_text())
    assert copy["scores"]["mrr"] == honest.scores["mrr"].value


def test_without_a_single_usable_result_the_site_stays_as_it_was(one, tmp_path):
    site = make_leaderboard(one, tmp_path / "site").folder
    before = content(site)
    (one / "tfidf-local.result.json").write_text("{")
    with pytest.raises(ProofmatchError, match=r"tfidf-local.result.json: cannot be read"):
        make_leaderboard(one, site)
    assert content(site) == before


def test_no_page_has_inline_style_or_handlers_or_addresses_of_scripts(results, tmp_path):
    evil = '<script>alert("x")</script>'

    def spoil(content):
        content["system"] |= {
            "name": evil,
            "notes": "<img src=x onerror=alert(1)>",
            "url": 'https://x/"onclick="y',
        }
        content["dataset"] |= {"id": evil, "manifest_sha256": "1" * 64}
        content["evaluator"]["tie_rule"] = evil

    copied(results / "tfidf-local.result.json", "<b>&.json", spoil)
    edit(results / "dice-local.result.json", put("system", "name", value=evil))  # without an address
    site = make_leaderboard(results, tmp_path / "site", repository="https://example.org/<b>").folder
    for page in (site / "index.html", site / "submit.html"):
        text = page.read_text()
        assert evil not in text
        assert "<img" not in text
        assert "<b>" not in text
        assert not re.search(
            r"<[^>]*\s(style|on\w+)=",
            re.sub(r"<script.*?</script>|<style.*?</style>", "", text, flags=re.DOTALL),
        )
        assert text.count("<script") <= 1
    assert "innerHTML" not in (site / "index.html").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "give --out SITE"),
        (["--check"], "--check needs --data"),
        (["--check", "--data", "x", "--push", "a/b"], "give --out SITE as well"),
        (["--out", "x", "--private"], "need --push"),
        (["--out", "x", "--push", "no owner"], "is not the name of a repository"),
        (["--out", "x", "--repository", "javascript:alert(1)"], "is not the address of a repository"),
        (["--out", "x", "--data", "missing"], "neither a release folder"),
    ],
)
def test_options_that_do_not_go_together_are_one_sentence(
    results, tmp_path, monkeypatch, capsys, options, words
):
    monkeypatch.chdir(tmp_path)
    assert main(["leaderboard", str(results), *options]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_a_site_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ProofmatchError, match="cannot be written"):
        write_site(tmp_path / "file" / "site", {"leaderboard.json": "{}"})
