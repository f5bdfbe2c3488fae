"""Which files are results, and what makes them unusable."""

import json
import shutil

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.leaderboard.results import find_results
from tests.evaluation.leaderboard.editing import edit, put


def test_results_are_found_in_all_subfolders_with_their_predictions(results):
    found = find_results(results)
    assert not found.faults
    names = [submission.name for submission in found.submissions]
    assert names == sorted(names)
    assert "by-article/dice.result.json" in names
    for submission in found.submissions:
        assert submission.predictions == (results / submission.name.replace(".result.json", ".jsonl"),)


def test_other_json_files_sidecars_and_hidden_ones_are_left_alone(one):
    (one / "history.json").write_text("[1, 2]")
    (one / ".git").mkdir()
    (one / ".git" / "x.result.json").write_text("broken")
    (one / "system.json").write_text("{}")
    found = find_results(one)
    assert len(found.submissions) == 1
    assert found.n_others == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"{", "cannot be read as JSON"),
        (b"\xff\xfe", "cannot be read as JSON"),
        (b"[" * 100_000, "cannot be read as JSON"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1e999}', "cannot be read as JSON"),
        (b'{"a": "\\ud800"}', "cannot be read as JSON"),
        (b'{"a": 1, "a": 2}', "a key occurs twice"),
        (b"[]", "not of type 'object'"),
        (b"{}", "'system' is a required property"),
    ],
)
def test_a_broken_result_is_named_with_what_is_wrong(one, content, reason):
    (one / "broken.result.json").write_bytes(content)
    found = find_results(one)
    assert len(found.submissions) == 1
    assert any(fault.startswith("broken.result.json: ") and reason in fault for fault in found.faults)
    assert all("\n" not in fault for fault in found.faults)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("scores", "mrr"), 1.5, "scores.mrr: 1.5 is greater"),
        (("scores", "mrr"), float("nan"), "NaN"),
        (("system", "url"), "javascript:alert(1)", "system.url: "),
        (("system", "name"), "two\nlines", "must be a line of text"),
        (("system", "name"), "\u202eelbaliava", "must be a line of text"),
        (("dataset", "split"), "dev", "dataset.split: 'dev' is not one of"),
        (("extra",), 1, "('extra' was unexpected)"),
    ],
)
def test_a_result_against_the_schema_is_named_with_its_place(one, place, value, reason):
    edit(one / "tfidf-local.result.json", put(*place, value=value))
    found = find_results(one)
    assert not found.submissions
    assert reason in found.faults[0]


def test_terminal_controls_in_names_are_not_passed_on(one):
    shutil.copy(one / "tfidf-local.result.json", one / "a\x1b[31m.result.json")
    edit(one / "a\x1b[31m.result.json", put("a\x1b]0;b", value=1))
    assert all("\x1b" not in fault for fault in find_results(one).faults)


@pytest.mark.parametrize(
    "name", ["tfidf-local.result.json", "tfidf-local.jsonl", "tfidf-local.jsonl.system.json"]
)
def test_links_to_what_was_not_submitted_are_not_followed(one, tmp_path_factory, name):
    secret = tmp_path_factory.mktemp("elsewhere") / "config.json"
    secret.write_text(json.dumps({"auths": {"example.org": "S3CRET"}}))
    (one / name).unlink(missing_ok=True)
    (one / name).symlink_to(secret)
    found = find_results(one)
    assert not found.submissions
    assert "leads out of the folder" in found.faults[0]
    assert "S3CRET" not in "".join(found.faults)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(ProofmatchError, match="no result files"):
        find_results(tmp_path)
    with pytest.raises(ProofmatchError, match="not a folder"):
        find_results(tmp_path / "missing")
    (tmp_path / "other.json").write_text(json.dumps({"a": 1}))
    with pytest.raises(ProofmatchError, match="no result files"):
        find_results(tmp_path)
