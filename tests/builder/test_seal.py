"""Sealing: what a sealed release keeps and withholds, the gold file, refusals and kills."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release, seal_release
from proofmatch.builder.checks import check_release
from proofmatch.builder.release.gold import read_gold
from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import MANIFEST, SPLITS, config_name
from proofmatch.builder.variants.record import RECORD
from proofmatch.builder.variants.variant import make_variant, undo_variant
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from tests.builder.engine.killing import copy_many_times, wait_until
from tests.builder.engine.test_determinism import content

SIDES = ("statement", "proof")


@pytest.fixture(scope="module", params=[False, True], ids=["mixed", "by_article"])
def by_article(request) -> bool:
    return request.param


@pytest.fixture(scope="module")
def sealed(release, by_article, tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("sealed")
    seal_release(release, folder / "public", folder / "gold.jsonl", by_article=by_article, workers=1)
    return folder / "public", folder / "gold.jsonl"


@pytest.fixture(scope="module")
def repetitive(articles, tmp_path_factory) -> Path:
    """A release that has every pair three times, in articles of its own."""
    folder = tmp_path_factory.mktemp("repetitive")
    return build_release(copy_many_times(articles, folder / "articles", 3), folder / "release", workers=1)


def ids(release: Path, config: str, split: str, column: str) -> list[str]:
    return open_release(release).table(config, split, [column]).column(0).to_pylist()


def all_ids(release: Path, table: str, by_article: bool, column: str) -> set[str]:
    config = config_name(table, by_article)
    opened = open_release(release)
    splits = [split for split in SPLITS if opened.shards(config, split)]
    return {name for split in splits for name in ids(release, config, split, column)}


def test_the_task_stays_and_the_gold_has_its_answers(release, sealed, by_article):
    public, gold = sealed
    opened = open_release(release)
    pairs = opened.table(config_name("pairs", by_article), "test").to_pylist()
    assert [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()] == sorted(
        ({name: row[name] for name in ("statement_id", "proof_id", "primary_category")} for row in pairs),
        key=lambda row: row["statement_id"],
    )
    for side in SIDES:
        config = config_name(f"{side}s", by_article)
        assert open_release(public).table(config, "test") == opened.table(config, "test")
    seal = open_release(public).sealed
    assert seal is not None
    assert (seal.by_article, seal.pairs) == (by_article, len(pairs))
    assert open_release(public).manifest["parameters"]["sealed"] == {
        "family": "by_article" if by_article else "mixed",
        "pairs": len(pairs),
    }


def test_only_the_sealed_pairs_are_gone_from_both_families(release, sealed, by_article):
    public, gold = sealed
    answers = read_gold(gold)
    withheld = {
        "pairs": answers.keys(),
        "statements": answers.keys(),
        "proofs": {pair.proof_id for pair in answers.values()},
    }
    assert not open_release(public).shards(config_name("pairs", by_article), "test")
    for table, gone in withheld.items():
        column = "proof_id" if table == "proofs" else "statement_id"
        for family in (False, True):
            config = config_name(table, family)
            for split in SPLITS:
                before = ids(release, config, split, column)
                if family == by_article and split == "test":
                    assert table == "pairs" or ids(public, config, split, column) == before
                else:
                    expected = [name for name in before if name not in gone]
                    assert ids(public, config, split, column) == expected


def test_a_sealed_release_passes_the_check_and_loads(sealed, by_article):
    from datasets import load_dataset

    public, gold = sealed
    report = check_release(public)
    assert report.passed, str(report)
    assert not [line for line in str(report).splitlines() if "not checked" in line]
    assert set(load_dataset(str(public), config_name("pairs", by_article))) == {"train", "validation"}
    assert set(load_dataset(str(public), config_name("pairs", not by_article))) == set(SPLITS)
    task = load_dataset(str(public), config_name("statements", by_article), split="test")
    assert set(task["statement_id"]) == read_gold(gold).keys()
    assert main(["stats", str(public)]) == 0


def test_the_card_says_what_is_sealed_and_an_open_one_where_the_answers_are(release, sealed, by_article):
    public, gold = sealed
    config = config_name("pairs", by_article)
    card = (public / "README.md").read_text(encoding="utf-8")
    assert "sealed" in card
    assert f"{len(read_gold(gold))} pairs of the test split of `{config}`" in card
    assert "--gold" in card
    opened = (release / "README.md").read_text(encoding="utf-8")
    assert "sealed" not in opened
    assert "`pairs` and `pairs_by_article` contain the answers of their own test splits" in opened


def test_pairs_that_repeat_a_sealed_one_are_withheld_too(repetitive, tmp_path):
    public, gold = tmp_path / "public", tmp_path / "gold.jsonl"
    seal_release(repetitive, public, gold, workers=1)
    before, after = open_release(repetitive), open_release(public)
    columns = ["statement", "proof"]

    def texts(release, config, split) -> list[tuple[str, str]]:
        return [tuple(row.values()) for row in release.table(config, split, columns).to_pylist()]

    sealed = set(texts(before, "pairs", "test"))
    assert any(pair in sealed for pair in texts(before, "pairs", "train"))
    for config in ("pairs", "pairs_by_article"):
        for split in SPLITS:
            if after.shards(config, split):
                left = texts(after, config, split)
                assert left == [pair for pair in texts(before, config, split) if pair not in sealed]
    for family in (False, True):
        for side in SIDES:
            task = all_ids(public, f"{side}s", family, f"{side}_id")
            test = {getattr(pair, f"{side}_id") for pair in read_gold(gold).values()}
            assert task == all_ids(public, "pairs", family, f"{side}_id") | (set() if family else test)
    report = check_release(public, max_leaked=1)
    assert report.passed, str(report)


def test_the_record_of_a_variant_has_no_names_of_sealed_proofs(release, tmp_path):
    variant = make_variant(release, tmp_path / "variant", symbols="transpose", workers=1)
    public, gold = tmp_path / "public", tmp_path / "gold.jsonl"
    seal_release(variant, public, gold, workers=1)
    sealed = {pair.proof_id for pair in read_gold(gold).values()}
    before, after = (pq.read_table(folder / RECORD) for folder in (variant, public))
    assert set(before["proof_id"].to_pylist()) - set(after["proof_id"].to_pylist()) == sealed
    report = check_release(public)
    assert report.passed, str(report)
    for make in (
        lambda: make_variant(public, tmp_path / "other", symbols="full"),
        lambda: undo_variant(public, tmp_path / "other"),
    ):
        with pytest.raises(ProofmatchError, match=r"public is sealed.* variant .*then seal"):
            make()
    assert "--undo" not in (public / "README.md").read_text(encoding="utf-8")


def test_sealing_depends_on_the_release_alone(sealed, release, by_article, tmp_path):
    public, gold = sealed
    other = tmp_path / "other"
    seal_release(release, other, tmp_path / "gold.jsonl", by_article=by_article, workers=2)
    assert content(other) == content(public)
    assert (tmp_path / "gold.jsonl").read_bytes() == gold.read_bytes()


def seal(release: Path, public: Path, gold: Path) -> list[str]:
    return ["seal", str(release), "--out", str(public), "--gold", str(gold), "--workers", "1"]


@pytest.mark.parametrize(
    ("public", "gold", "named"),
    [
        ("public", "public/gold.jsonl", "gold.jsonl"),
        ("public", "release/gold.jsonl", "gold.jsonl"),
        ("public", "full/../public/x/gold.jsonl", "gold.jsonl"),
        ("public", "other.jsonl", "other.jsonl"),
        ("public", "full", "full"),
        ("full", "gold.jsonl", "full"),
        ("release/public", "gold.jsonl", "release"),
        (".", "gold.jsonl", "release"),
    ],
)
def test_places_that_would_publish_or_lose_something_are_refused(
    release, tmp_path, capsys, public, gold, named
):
    copy = shutil.copytree(release, tmp_path / "release")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    (tmp_path / "other.jsonl").write_text('{"statement_id": "s-1", "proof_id": "p-1"}\n')
    before = content(tmp_path)
    assert main(seal(copy, tmp_path / public, tmp_path / gold)) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert named in said
    assert content(tmp_path) == before


def test_a_sealed_an_old_and_a_damaged_release_are_refused(release, sealed, tmp_path):
    public, gold = tmp_path / "public", tmp_path / "gold.jsonl"
    with pytest.raises(ProofmatchError, match="sealed already"):
        seal_release(sealed[0], public, gold)
    copy = Path(shutil.copytree(release, tmp_path / "copy"))
    manifest = json.loads((copy / MANIFEST).read_text())
    (copy / MANIFEST).write_text(json.dumps(manifest | {"schema_version": 1}))
    with pytest.raises(ProofmatchError, match=r"schema version 1.*make the release again"):
        seal_release(copy, public, gold)
    (copy / MANIFEST).write_text(json.dumps(manifest))
    (copy / "stats.json").write_text("{}")
    with pytest.raises(ProofmatchError, match=r"stats.json is not as"):
        seal_release(copy, public, gold)
    assert not public.exists()
    assert not gold.exists()


@pytest.mark.parametrize("form", [{"family": "all", "pairs": 1}, {"family": "mixed"}, 7, {"pairs": "x"}])
def test_a_manifest_with_another_form_of_seal_is_refused(release, tmp_path, form):
    copy = Path(shutil.copytree(release, tmp_path / "copy"))
    manifest = json.loads((copy / MANIFEST).read_text())
    manifest["parameters"]["sealed"] = form
    (copy / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ProofmatchError, match="is not the manifest of a release"):
        open_release(copy)
    assert "what is sealed" in str(check_release(copy))


def test_the_check_finds_what_a_sealed_release_must_not_have(release, sealed, by_article, tmp_path):
    public, _ = sealed
    config = config_name("pairs", by_article)
    copy = Path(shutil.copytree(public, tmp_path / "copy"))
    for path in (release / "data" / config).glob("test-*"):
        shutil.copy(path, copy / "data" / config)
    other = config_name("pairs", not by_article)
    shutil.copytree(release / "data" / other, copy / "data" / other, dirs_exist_ok=True)
    (outcome,) = (one for one in check_release(copy).as_dict()["checks"] if one["name"] == "sealed")
    faults = json.dumps(outcome)
    assert f"{config} has a test split" in faults
    assert f"{other} train has sealed statements" in faults
    assert f"{other} train has the texts of a sealed statement and a sealed proof" in faults


@pytest.mark.kills
@pytest.mark.parametrize("by_article", [False], indirect=True)
@pytest.mark.parametrize("moment", ["staging", "tables", "manifest", "gold", "public"])
def test_a_kill_loses_nothing_and_the_same_command_ends_well(release, sealed, tmp_path, moment):
    public, gold = tmp_path / "public", tmp_path / "gold.jsonl"
    patterns = {
        "staging": ".public.*.tmp",
        "tables": ".public.*.tmp/data/proofs*",
        "manifest": ".public.*.tmp/manifest.json",
        "gold": "gold.jsonl",
        "public": "public",
    }
    command = [sys.executable, "-m", "proofmatch", *seal(release, public, gold)]
    with subprocess.Popen(
        command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, text=True
    ) as process:
        wait_until(lambda: any(tmp_path.glob(patterns[moment])), process)
        process.kill()
    if public.exists():
        assert content(public) == content(sealed[0])
        assert gold.exists()
    if gold.exists():
        assert gold.read_bytes() == sealed[1].read_bytes()
    assert main(seal(release, public, gold)) == 0
    assert content(public) == content(sealed[0])
    assert gold.read_bytes() == sealed[1].read_bytes()
