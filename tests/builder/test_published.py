"""The release an import makes: the published splits, the same bytes each time, resumable."""

import gzip
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from proofmatch.builder.published import import_published
from proofmatch.builder.variants.variant import make_variant, undo_variant
from proofmatch.errors import ProofmatchError
from tests.builder.published_corpus import Block, synthetic_blocks, write_corpus, write_file

SIZES = {"train": 800, "dev": 100, "test": 100}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    write_corpus(folder, SIZES)
    return folder


@pytest.fixture(scope="module")
def imported(published, tmp_path_factory):
    return import_published(published, tmp_path_factory.mktemp("imported") / "release", workers=1)


def column(release, config, split, name):
    files = sorted(release.glob(f"data/{config}/{split}-*.parquet"))
    return [value for path in files for value in pq.read_table(path)[name].to_pylist()]


def hashes(release):
    return {path.relative_to(release): path.read_bytes() for path in release.rglob("*") if path.is_file()}


def test_published_splits_are_kept(imported, published):
    for split, theirs in (("train", "train"), ("validation", "dev"), ("test", "test")):
        assert len(column(imported, "pairs", split, "id")) == SIZES[theirs]
        for family, config in (("mixed", "pairs"), ("unmixed", "pairs_by_article")):
            text = (published / family / f"{family}_conservation_{theirs}").read_text(encoding="utf-8")
            expected = Counter(
                line.removeprefix("arXiv:")
                for line, following in zip(text.split("\n"), text.split("\n")[1:], strict=False)
                if following.startswith("____") and line.startswith("arXiv:")
            )
            assert Counter(column(imported, config, split, "article_id")) == expected


def test_both_families_hold_the_same_pairs_under_the_same_ids(imported):
    families = [
        sorted(
            value
            for split in ("train", "validation", "test")
            for value in column(imported, config, split, "id")
        )
        for config in ("pairs", "pairs_by_article")
    ]
    assert families[0] == families[1]
    assert len(set(families[0])) == 1000


def test_articles_stay_together_in_the_split_by_article(imported):
    splits = [
        set(column(imported, "pairs_by_article", split, "article_id"))
        for split in ("train", "validation", "test")
    ]
    assert not splits[0] & splits[1] and not splits[0] & splits[2] and not splits[1] & splits[2]


def test_every_configuration_loads(imported, tmp_path):
    for config in ("pairs", "statements", "proofs", "pairs_by_article"):
        loaded = load_dataset(str(imported), config, cache_dir=str(tmp_path))
        assert sum(loaded.num_rows.values()) == 1000


def test_the_number_of_workers_and_compression_change_nothing(imported, published, tmp_path):
    packed = tmp_path / "packed"
    packed.mkdir()
    for path in published.rglob("*_*_*"):
        (packed / path.name).write_bytes(path.read_bytes())
    again = import_published(packed, tmp_path / "again", workers=2)
    assert hashes(again) == hashes(imported)
    for path in list(packed.iterdir()):
        (packed / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    compressed = import_published(packed, tmp_path / "compressed", workers=2)
    assert {name: data for name, data in hashes(compressed).items() if name.parts[0] == "data"} == {
        name: data for name, data in hashes(imported).items() if name.parts[0] == "data"
    }


@pytest.mark.parametrize("families", [("mixed",), ("unmixed",)])
def test_a_family_alone_gets_the_other_split_by_the_rules_of_a_build(published, tmp_path, families):
    for family in families:
        (tmp_path / "some" / family).mkdir(parents=True)
        for path in (published / family).iterdir():
            (tmp_path / "some" / family / path.name).write_bytes(path.read_bytes())
    release = import_published(tmp_path / "some", tmp_path / "release", workers=1)
    for config in ("pairs", "pairs_by_article"):
        rows = [len(column(release, config, split, "id")) for split in ("train", "validation", "test")]
        assert sum(rows) == 1000
        assert all(rows)
    if families == ("unmixed",):
        assert len(column(release, "pairs", "test", "id")) == 100


def test_probability_subset_and_replaced_symbols(tmp_path):
    blocks = list(synthetic_blocks(60, math_prefix=True))
    for number, split in enumerate(("train", "dev", "test")):
        write_file(
            tmp_path / f"pb_full_{split}", blocks[20 * number : 20 * number + 20], new_form=True, listed=False
        )
    release = import_published(tmp_path, tmp_path / "release", symbols="full", subset="pb", workers=1)
    assert len(column(release, "pairs", "test", "id")) == 20
    assert not any(
        token.startswith("m:math_")
        for row in column(release, "pairs", "test", "proof_tokens")
        for token in row
    )


def test_equal_pairs_within_and_across_splits_get_different_ids(tmp_path):
    block = next(iter(synthetic_blocks(1)))
    for split in ("train", "dev", "test"):
        write_file(tmp_path / f"mixed_conservation_{split}", [block, Block(block.article, "x", block.lines)])
    release = import_published(tmp_path, tmp_path / "release", workers=1)
    ids = [
        value for split in ("train", "validation", "test") for value in column(release, "pairs", split, "id")
    ]
    assert len(ids) == len(set(ids)) == 6


def test_other_settings_in_the_same_folder_are_refused(imported, published):
    assert import_published(published, imported, workers=1) == imported
    with pytest.raises(ProofmatchError, match="seed was 0 and is now 1"):
        import_published(published, imported, seed=1)


def test_a_killed_import_resumes(published, imported, tmp_path):
    command = [
        sys.executable,
        "-m",
        "proofmatch",
        "import",
        str(published),
        "--out",
        str(tmp_path / "release"),
    ]
    # Small batches, so that there is a middle to be killed in.
    script = (
        "import sys; from proofmatch.builder import published_files as files; "
        "files.BATCH_BYTES = files._READ_BYTES = 20_000; "
        "from proofmatch.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command[1:3] = ["-c", script]
    for parts_before_the_kill in (2, 10):
        process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
        parts = tmp_path / "release/.build/parts"
        while process.poll() is None and len(list(parts.glob("*.arrow"))) < parts_before_the_kill:
            time.sleep(0.002)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        done = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.arrow")}
        assert done
    before = time.time_ns()
    finished = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "is complete" in finished.stdout
    assert all(modified < before for modified in done.values())
    assert not parts.exists()
    assert hashes(tmp_path / "release") == hashes(imported)


def test_an_edition_with_replaced_symbols_has_no_further_variant(tmp_path):
    write_corpus(tmp_path / "published", {"train": 40, "dev": 5, "test": 5}, symbols="partial")
    release = import_published(tmp_path / "published", tmp_path / "r", symbols="partial", workers=1)
    with pytest.raises(ProofmatchError, match="give the original release"):
        make_variant(release, tmp_path / "v", symbols="full")


def test_a_variant_of_an_import_is_undone_byte_for_byte(imported, tmp_path):
    variant = make_variant(imported, tmp_path / "variant", symbols="transpose", workers=1)
    assert hashes(undo_variant(variant, tmp_path / "restored", workers=1)) == hashes(imported)
