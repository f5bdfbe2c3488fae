"""Release to release: everything but the names stays, and undoing gives the same bytes."""

import hashlib
import json
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.release.schema import CONFIGS
from proofmatch.builder.release.tables import Shard, write_shard
from proofmatch.builder.variants import variant
from proofmatch.builder.variants.letters import letters_of_tokens, variables_of
from proofmatch.builder.variants.record import read_report
from proofmatch.builder.variants.renaming import Proof, rename_proof
from proofmatch.builder.variants.sites import text_sites
from proofmatch.builder.variants.variant import make_variant, undo_variant
from proofmatch.cli import main
from proofmatch.errors import CheckFailed, ProofmatchError

RENAMED_COLUMNS = {"pairs": ("proof", "proof_tokens"), "proofs": ("text", "tokens")}


@pytest.fixture(scope="module")
def full(release, tmp_path_factory):
    return make_variant(release, tmp_path_factory.mktemp("variant") / "full", symbols="full", workers=1)


def tables(release):
    return {
        path.relative_to(release).as_posix(): path.read_bytes()
        for path in sorted((release / "data").rglob("*.parquet"))
    }


def read(release, config):
    paths = sorted((release / "data" / config).glob("*.parquet"))
    return pa.concat_tables([pq.read_table(path) for path in paths]).to_pylist()


def test_the_command_makes_a_variant_and_undoes_it(release, tmp_path, capsys):
    variant, restored = tmp_path / "variant", tmp_path / "restored"
    command = ["variant", str(release), "--symbols", "partial", "--out", str(variant), "--workers", "1"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert f"{len(read(release, 'pairs'))} proofs, " in printed
    assert str(variant / "renamed.parquet") in printed
    assert main(["variant", str(variant), "--undo", "--out", str(restored), "--workers", "1"]) == 0
    assert tables(restored) == tables(release)
    assert not (restored / "renamed.parquet").exists()
    manifest = json.loads((restored / "manifest.json").read_text())
    assert manifest["parameters"] == json.loads((release / "manifest.json").read_text())["parameters"]


def test_undoing_takes_no_seed(full, tmp_path, capsys):
    assert main(["variant", str(full), "--undo", "--seed", "1", "--out", str(tmp_path / "out")]) == 2
    assert "--seed" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", ["", "_by_article"])
def test_all_but_the_proofs_is_unchanged(release, full, suffix):
    before, after = tables(release), tables(full)
    assert before.keys() == after.keys()
    for name in before:
        old, new = pq.read_table(release / name), pq.read_table(full / name)
        if name.startswith(f"data/pairs{suffix}/"):
            changed = ["proof_id", "proof", "proof_tokens"]
            assert old.drop_columns(changed) == new.drop_columns(changed)
            assert old["proof"] != new["proof"] or not old.num_rows
        elif name.startswith(f"data/proofs{suffix}/"):
            assert old.num_rows == new.num_rows
        elif name.startswith(f"data/statements{suffix}/"):
            assert before[name] == after[name]


def test_ids_of_renamed_proofs_depend_on_their_new_texts(release, full):
    ids = {row["proof"]: row["proof_id"] for row in read(release, "pairs")}
    renamed = read(full, "pairs")
    assert all((ids.get(row["proof"]) == row["proof_id"]) == (row["proof"] in ids) for row in renamed)
    assert sum(row["proof"] not in ids for row in renamed) > len(renamed) / 2
    shown = [
        row["proof_id"] for row in pq.read_table(full / "data/proofs/test-00000-of-00001.parquet").to_pylist()
    ]
    assert shown == sorted(shown)


def test_load_dataset_opens_it(full, tmp_path):
    from datasets import load_dataset

    proofs = load_dataset(str(full), "proofs_by_article", split="test", cache_dir=str(tmp_path))
    assert proofs.column_names == ["proof_id", "text", "tokens"]  # pyright: ignore


def test_all_configurations_have_the_same_names(full):
    expected = {row["proof_id"]: (row["proof"], row["proof_tokens"]) for row in read(full, "pairs")}
    for config, (text, tokens) in [
        ("pairs_by_article", RENAMED_COLUMNS["pairs"]),
        ("proofs", RENAMED_COLUMNS["proofs"]),
        ("proofs_by_article", RENAMED_COLUMNS["proofs"]),
    ]:
        assert {row["proof_id"]: (row[text], row[tokens]) for row in read(full, config)} == expected


def test_the_record_is_complete_and_says_what_was_done(release, full):
    record = pq.read_table(full / "renamed.parquet").to_pylist()
    assert [row["id"] for row in record] == sorted(row["id"] for row in read(release, "pairs"))
    names = {row["proof_id"]: dict(zip(row["original"], row["renamed"], strict=True)) for row in record}
    for old, new in zip(read(release, "pairs"), read(full, "pairs"), strict=True):
        renaming = names[new["proof_id"]]
        present = variables_of(letters_of_tokens(old["proof_tokens"]))
        assert renaming.keys() <= present
        expected = {renaming.get(name, name) for name in present}
        assert variables_of(letters_of_tokens(new["proof_tokens"])) == expected
    report = read_report(full)
    assert report.proofs == len(record)
    assert report.letters_renamed == sum(len(row["original"]) for row in record)
    assert report.unread == 0


def test_no_old_name_is_left_in_the_text(release, full):
    for old, new in zip(read(release, "pairs"), read(full, "pairs"), strict=True):
        sites = text_sites(new["proof"], new["proof_tokens"])
        assert sites is not None
        in_text = variables_of(site.letter for site in sites)
        assert in_text == variables_of(letters_of_tokens(new["proof_tokens"])), old["proof"]


def test_the_names_of_a_proof_depend_on_no_other_proof(release, full):
    from proofmatch.builder.identifiers import digest

    old, new = read(release, "pairs")[3], read(full, "pairs")[3]
    seed = digest("variant", "0", f"p-{digest('proof', old['id'], size=10)}", size=16)
    rng = random.Random(seed)  # noqa: S311 - no secret
    renamed = rename_proof(old["statement_tokens"], Proof(old["proof"], old["proof_tokens"]), "full", rng)
    assert renamed.proof == (new["proof"], new["proof_tokens"])


def test_workers_do_not_matter_and_seeds_do(release, full, tmp_path):
    again = make_variant(release, tmp_path / "again", symbols="full", workers=2)
    other = make_variant(release, tmp_path / "other", symbols="full", seed=1, workers=1)
    assert tables(again) == tables(full) != tables(other)
    assert (again / "renamed.parquet").read_bytes() == (full / "renamed.parquet").read_bytes()


def test_the_manifest_names_the_original(release, full):
    parameters = json.loads((full / "manifest.json").read_text())["parameters"]
    original = (release / "manifest.json").read_bytes()
    assert parameters["variant_of"] == json.loads(original)["parameters"]
    assert parameters["variant_of_manifest"] == hashlib.sha256(original).hexdigest()
    assert (full / "stats.json").read_bytes() == (release / "stats.json").read_bytes()
    assert (full / "discarded.parquet").read_bytes() == (release / "discarded.parquet").read_bytes()


def test_a_finished_variant_is_left_as_it_is(release, full):
    before = (full / "manifest.json").stat().st_mtime_ns
    assert make_variant(release, full, symbols="full") == full
    assert (full / "manifest.json").stat().st_mtime_ns == before


def test_an_interrupted_variant_resumes(release, full, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(variant, "write_shards", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make_variant(release, out, symbols="full", workers=1)
    parts = {path: path.stat().st_mtime_ns for path in (out / ".build/parts").iterdir()}
    assert parts
    with monkeypatch.context() as patch:
        patch.setattr(variant, "complete_release", interrupted)
        with pytest.raises(KeyboardInterrupt):
            make_variant(release, out, symbols="full", workers=1)
    assert {path: path.stat().st_mtime_ns for path in (out / ".build/parts").iterdir()} == parts
    make_variant(release, out, symbols="full", workers=1)
    assert not (out / ".build").exists()
    assert tables(out) == tables(full)
    assert (out / "renamed.parquet").read_bytes() == (full / "renamed.parquet").read_bytes()


def test_pairs_of_one_split_only_are_renamed_too(release, tmp_path):
    """As in published files, whose two splits need not have the same pairs."""
    reduced = tmp_path / "reduced"
    shutil.copytree(release, reduced)
    manifest = json.loads((reduced / "manifest.json").read_text())
    for config in ("pairs", "statements", "proofs"):
        name = f"data/{config}/test-00000-of-00001.parquet"
        (described,) = (entry for entry in CONFIGS if entry.name == config)
        written = write_shard(Shard(described, "test", Path(name), reduced), [])
        manifest["files"][name] = {"bytes": written.file_bytes, "sha256": written.sha256}
    (reduced / "manifest.json").write_text(json.dumps(manifest))
    variant = make_variant(reduced, tmp_path / "variant", symbols="full", workers=1)
    assert len(pq.read_table(variant / "renamed.parquet")) == len(read(release, "pairs"))
    restored = undo_variant(variant, tmp_path / "restored", workers=1)
    assert read(restored, "pairs_by_article") == read(release, "pairs_by_article")


def refusal(*arguments, **options):
    with pytest.raises(ProofmatchError) as caught:
        (undo_variant if options.pop("undo", False) else make_variant)(*arguments, **options)
    return str(caught.value)


def test_invalid_requests_are_refused_in_one_sentence(release, full, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    out = tmp_path / "out"
    assert "not a folder" in refusal(tmp_path / "nowhere", out, symbols="full")
    assert "no manifest.json" in refusal(empty, out, symbols="full")
    assert "original release" in refusal(full, out, symbols="full")
    assert "not a variant" in refusal(release, out, undo=True)
    assert "is the release itself" in refusal(release, release, symbols="full")
    assert "symbols must be one of" in refusal(release, out, symbols="some")
    assert "at least 1" in refusal(release, out, symbols="full", workers=0)
    assert "other settings" in refusal(release, full, symbols="partial")
    assert not out.exists()


def test_a_damaged_release_is_refused(release, tmp_path):
    damaged = tmp_path / "damaged"
    shutil.copytree(release, damaged)
    file = damaged / "data/pairs/train-00000-of-00001.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])
    assert "not as manifest.json describes it" in refusal(damaged, tmp_path / "out", symbols="full")
    file.write_bytes(whole[:-100] + bytes(100))
    assert f"{file} cannot be read" in refusal(damaged, tmp_path / "out", symbols="full", workers=1)
    assert not (tmp_path / "out" / ".build").exists()


def test_a_real_corpus_is_renamed_and_restored(corpus, tmp_path):
    release = build_release(corpus / "html5.tar.xz", tmp_path / "release", workers=1)
    for symbols in ("full", "transpose"):
        variant = make_variant(release, tmp_path / symbols, symbols=symbols, workers=1)
        assert read_report(variant).unread == 0
        restored = undo_variant(variant, tmp_path / f"{symbols}-restored", workers=1)
        assert tables(restored) == tables(release)


def with_another_record(variant, folder, change):
    """Copy a variant, and change its record so that the manifest still fits."""
    shutil.copytree(variant, folder)
    pq.write_table(change(pq.read_table(folder / "renamed.parquet")), folder / "renamed.parquet")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["renamed.parquet"]["bytes"] = (folder / "renamed.parquet").stat().st_size
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_an_incomplete_record_is_named(full, tmp_path):
    cut = with_another_record(full, tmp_path / "cut", lambda record: record.slice(0, 10))
    assert "renamed.parquet has no names for p-" in refusal(cut, tmp_path / "out", undo=True)


def test_a_record_of_other_proofs_is_detected(full, tmp_path):
    def shifted(record):
        moved = pa.concat_tables([record.slice(1), record.slice(0, 1)])
        return record.set_column(2, "original", moved["original"]).set_column(3, "renamed", moved["renamed"])

    swapped = with_another_record(full, tmp_path / "swapped", shifted)
    with pytest.raises((CheckFailed, ProofmatchError)):
        undo_variant(swapped, tmp_path / "out", workers=1)


def test_a_variant_inside_the_release_is_refused(release):
    assert "inside of it" in refusal(release, release / "sub", symbols="full")
    assert not (release / "sub").exists()


def test_damaged_statistics_are_named_before_the_work(release, tmp_path):
    damaged = tmp_path / "damaged"
    shutil.copytree(release, damaged)
    manifest = json.loads((damaged / "manifest.json").read_text())
    (damaged / "stats.json").write_text("{}")
    manifest["files"]["stats.json"]["bytes"] = 2
    (damaged / "manifest.json").write_text(json.dumps(manifest))
    assert "stats.json is damaged" in refusal(damaged, tmp_path / "out", symbols="full")
    assert not (tmp_path / "out").exists()
