"""`proofmatch check` as users meet it: what it prints, writes and returns."""

import json
import re

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.checks import check_release
from proofmatch.builder.checks.card import STATISTICS_KEYS
from proofmatch.builder.checks.run import CHECKS
from proofmatch.builder.published import import_published
from proofmatch.builder.variants.variant import make_variant
from proofmatch.cli import main

from ..published_corpus import write_corpus
from . import faults_in_card, faults_in_files, faults_in_rows  # noqa: F401 - they register their faults
from .planting import FAULTS, EditedRelease, planted


def test_the_sample_is_without_fault(release, capsys):
    assert main(["check", str(release)]) == 0
    output = capsys.readouterr().out
    assert "no faults found" in output
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
        ("changed_byte", "figures/categories.svg was changed"),
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
    damaged = planted(release, tmp_path / "release", "another_text")
    (damaged.folder / "notes.txt").write_text("remember")
    damaged.edit_json("stats.json", lambda statistics: statistics["rows"]["pairs"].update(test=7))
    faulty = {outcome.check for outcome in check_release(damaged.folder).outcomes if outcome.faults}
    assert {"manifest", "figures", "references"} <= faulty


def test_unreadable_tables_are_reported_as_not_checked(release, tmp_path):
    report = check_release(planted(release, tmp_path / "release", "truncated_parquet").folder)
    incomplete = {outcome.check: str(report) for outcome in report.outcomes if not outcome.complete}
    assert {"ids", "references", "splits", "order", "duplicates", "labels"} <= set(incomplete)
    assert "not checked: pairs: test could not be read" in str(report)


def test_all_cases_are_counted_and_few_are_shown(release, tmp_path):
    damaged = EditedRelease(release, tmp_path / "release")
    damaged.edit_rows("statements", "train", lambda rows: [row.update(text="") for row in rows])
    total = len(damaged.rows("statements", "train"))
    (fault,) = next(o for o in check_release(damaged.folder).outcomes if o.check == "schema").faults
    assert (len(fault.examples), fault.count) == (5, total)


@pytest.mark.parametrize("content", [None, "file", "empty"])
def test_other_folders_are_refused_in_one_sentence(tmp_path, capsys, content):
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


@pytest.mark.parametrize("place", ["report.json", "data/../stats.json"])
def test_a_report_inside_the_release_is_refused(release, capsys, place):
    before = sorted(release.rglob("*"))
    assert main(["check", str(release), "--json", str(release / place)]) == 2
    output = capsys.readouterr()
    assert "is inside the release" in output.err
    assert output.err.count("\n") == 1
    assert output.out == ""
    assert sorted(release.rglob("*")) == before


def test_the_share_of_leaked_pairs_can_be_set(release, tmp_path):
    folder = planted(release, tmp_path / "release", "held_out_pair_copied_into_train").folder
    assert not check_release(folder, max_leaked=0.01).passed
    assert check_release(folder, max_leaked=0.2).passed


@pytest.mark.parametrize("share", ["-0.1", "2", "much"])
def test_an_invalid_share_is_refused(release, share, capsys):
    with pytest.raises(SystemExit) as refusal:
        main(["check", str(release), f"--max-leaked={share}"])
    assert refusal.value.code == 2
    error = capsys.readouterr().err
    assert "--max-leaked" in error
    assert "0" in error
    assert "_share" not in error


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
    damaged = planted(release, tmp_path / "release", "families_that_differ")
    damaged.edit_json("manifest.json", lambda manifest: manifest["parameters"].update(made_by="import"))
    report = check_release(damaged.folder)
    assert report.passed
    assert "kind of the same pair differs between pairs and pairs_by_article" in str(report)


def test_a_variant_is_without_fault(variant):
    report = check_release(variant)
    assert report.faults == []
    assert "the names in " in str(report)


def test_a_variant_of_an_imported_release_counts_as_imported(release, tmp_path):
    damaged = planted(release, tmp_path / "release", "wrong_split_size")

    def is_right() -> bool:
        outcomes = check_release(damaged.folder).outcomes
        return not next(outcome for outcome in outcomes if outcome.check == "splits").faults

    assert not is_right()
    parameters = {"made_by": "variant", "variant_of": {"made_by": "import"}}
    damaged.edit_json("manifest.json", lambda manifest: manifest.update(parameters=parameters))
    assert is_right()


def test_the_required_statistics_are_those_that_a_build_writes(release):
    statistics = json.loads((release / "stats.json").read_text(encoding="utf-8"))
    assert set(STATISTICS_KEYS) == statistics.keys() - {"schema_version", "leftovers"}


@pytest.mark.parametrize("settings", [{"titles": "drop"}, {"detector": "none"}])
def test_releases_with_other_settings_are_without_fault(articles, tmp_path, settings):
    release = build_release(articles, tmp_path / "release", workers=1, **settings)
    assert check_release(release).faults == []


@pytest.mark.parametrize("count", [1, 2, 5])
def test_small_releases_and_their_variants_are_without_fault(articles, tmp_path, count):
    chosen = [str(path) for path in sorted(articles.glob("*.xhtml"))[:count]]
    release = build_release(chosen, tmp_path / "release", workers=1)
    assert check_release(release).faults == []
    variant = make_variant(release, tmp_path / "variant", symbols="transpose", workers=1)
    assert check_release(variant).faults == []


def test_an_import_is_without_fault(tmp_path):
    write_corpus(tmp_path / "published", {"train": 80, "dev": 10, "test": 10})
    release = import_published(tmp_path / "published", tmp_path / "release", workers=1)
    assert check_release(release).faults == []


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_is_found_and_named(request, tmp_path, name):
    fault = FAULTS[name]
    original = request.getfixturevalue(fault.of)
    report = check_release(planted(original, tmp_path / "release", name).folder)
    faults = {
        outcome.check: [" ".join([found.message, *found.examples]) for found in outcome.faults]
        for outcome in report.outcomes
        if outcome.faults
    }
    assert set(faults) == set(fault.checks), faults
    assert any(re.search(fault.message, text) for text in faults[fault.checks[0]]), faults
