"""`proofmatch check` as users meet it: what it prints, writes and returns."""

import json

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.checks import check_release
from proofmatch.builder.checks.run import CHECKS
from proofmatch.cli import main

from . import faults_in_files, faults_in_rows  # noqa: F401 - they register their faults
from .editing import EditedRelease
from .faults import planted


def test_the_sample_is_without_fault(release, capsys):
    assert main(["check", str(release)]) == 0
    output = capsys.readouterr().out
    assert "is without fault" in output
    for name in CHECKS:
        assert f"✓ {name}: " in output


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["html5", "stacks"])
def test_a_real_corpus_is_without_fault(corpus, tmp_path, name):
    release = build_release(corpus / f"{name}.tar.xz", tmp_path / "release", workers=2)
    assert check_release(release).faults == []


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("changed_byte", "discarded.parquet was changed"),
        ("null_text", "data/statements/test-00000-of-00001.parquet has rows with no text (null)"),
        ("stale_statistics", "stats.json says that pairs test has 7 rows; it has "),
        ("missing_config", "config proofs_by_article is missing"),
    ],
)
def test_a_fault_is_printed_and_the_exit_code_is_1(release, tmp_path, capsys, name, named):
    folder = planted(release, tmp_path / "release", name).folder
    assert main(["check", str(folder)]) == 1
    output = capsys.readouterr()
    assert named in output.out
    assert f"fault in {folder}; see above" in output.err or f"faults in {folder}; see above" in output.err
    assert "Traceback" not in output.err


def test_several_faults_are_all_named(release, tmp_path):
    spoilt = planted(release, tmp_path / "release", "another_text")
    (spoilt.folder / "notes.txt").write_text("remember")
    spoilt.edit_json("stats.json", lambda statistics: statistics["rows"]["pairs"].update(test=7))
    faulty = {outcome.check for outcome in check_release(spoilt.folder).outcomes if outcome.faults}
    assert {"manifest", "figures", "references"} <= faulty


def test_what_cannot_be_checked_is_said(release, tmp_path):
    report = check_release(planted(release, tmp_path / "release", "truncated_parquet").folder)
    incomplete = {outcome.check: str(report) for outcome in report.outcomes if not outcome.complete}
    assert {"ids", "references", "splits", "order", "duplicates", "labels"} <= set(incomplete)
    assert "not checked: pairs: test could not be read" in str(report)


def test_all_cases_are_counted_and_few_are_shown(release, tmp_path):
    spoilt = EditedRelease(release, tmp_path / "release")
    spoilt.edit_rows("statements", "train", lambda rows: [row.update(text="") for row in rows])
    total = len(spoilt.rows("statements", "train"))
    (fault,) = next(o for o in check_release(spoilt.folder).outcomes if o.check == "schema").faults
    assert (len(fault.examples), fault.count) == (5, total)


@pytest.mark.parametrize("content", [None, "file", "empty"])
def test_what_is_no_release_is_refused_in_one_sentence(tmp_path, capsys, content):
    place = tmp_path / "place"
    if content == "file":
        place.write_text("text")
    elif content == "empty":
        place.mkdir()
    assert main(["check", str(place)]) == 2
    error = capsys.readouterr().err
    assert str(place) in error
    assert error.count("\n") == 1


def test_the_report_is_written_as_json(release, tmp_path):
    folder = planted(release, tmp_path / "release", "extra_file").folder
    assert main(["check", str(folder), "--json", str(tmp_path / "report.json")]) == 1
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert not report["passed"]
    assert [check["name"] for check in report["checks"]] == list(CHECKS)
    remarks = report["checks"][0]["remarks"]
    assert {"fault", "note"} == {remark["kind"] for remark in remarks}


def test_a_report_that_cannot_be_written_is_bad_usage(release, tmp_path, capsys):
    assert main(["check", str(release), "--json", str(tmp_path / "no" / "report.json")]) == 2
    assert "report.json cannot be written" in capsys.readouterr().err


def test_how_many_leaked_pairs_are_tolerated_can_be_told(release, tmp_path):
    folder = planted(release, tmp_path / "release", "held_out_pair_copied_into_train").folder
    assert not check_release(folder, max_leaked=0.01).passed
    assert check_release(folder, max_leaked=0.2).passed


@pytest.mark.parametrize("share", ["-0.1", "2", "much"])
def test_a_share_that_is_none_is_refused(release, share, capsys):
    with pytest.raises(SystemExit) as refusal:
        main(["check", str(release), f"--max-leaked={share}"])
    assert refusal.value.code == 2
    assert "--max-leaked" in capsys.readouterr().err


def test_files_that_git_and_the_hub_leave_behind_are_no_fault(release, tmp_path):
    downloaded = EditedRelease(release, tmp_path / "release").folder
    (downloaded / ".gitattributes").write_text("*.parquet filter=lfs\n")
    (downloaded / ".cache" / "huggingface").mkdir(parents=True)
    (downloaded / ".cache" / "huggingface" / "README.md.metadata").write_text("x")
    assert check_release(downloaded).passed


def test_a_split_without_rows_is_a_finding(articles, tmp_path):
    release = build_release(articles / "sample.0001.xhtml", tmp_path / "release", workers=1)
    report = check_release(release)
    assert report.passed
    assert "pairs has no rows in validation and test" in str(report)


def test_an_imported_release_keeps_the_sizes_and_families_it_was_published_with(release, tmp_path):
    spoilt = planted(release, tmp_path / "release", "families_that_differ")
    spoilt.edit_json("manifest.json", lambda manifest: manifest["parameters"].update(made_by="import"))
    report = check_release(spoilt.folder)
    assert report.passed
    assert "kind of the same pair differs between pairs and pairs_by_article" in str(report)


def test_a_variant_of_an_imported_release_counts_as_imported(release, tmp_path):
    spoilt = planted(release, tmp_path / "release", "wrong_split_size")
    assert not check_release(spoilt.folder).passed
    parameters = {"made_by": "variant", "variant_of": {"made_by": "import"}}
    spoilt.edit_json("manifest.json", lambda manifest: manifest.update(parameters=parameters))
    assert check_release(spoilt.folder).passed
