"""Which files are taken for what, by their names."""

import pytest

from proofmatch.builder.importing.files import find_files
from proofmatch.errors import ProofmatchError


def touch(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def three(family, symbols="conservation", suffix=""):
    return [f"{family}/{family}_{symbols}_{split}{suffix}" for split in ("train", "dev", "test")]


def test_families_are_told_apart_and_come_in_the_order_of_the_splits(tmp_path):
    touch(tmp_path, *three("mixed"), *three("unmixed"), *three("pb"), "README.md", "mixed/notes_train")
    families = find_files(tmp_path, "conservation", "mixed")
    assert list(families) == ["mixed", "unmixed"]
    for files in families.values():
        assert [file.split for file in files] == ["train", "validation", "test"]


def test_the_replaced_editions_are_chosen_by_name(tmp_path):
    touch(tmp_path, *three("mixed"), *three("mixed", "trans"), *three("unmixed", "full"))
    assert {file.symbols for file in find_files(tmp_path, "trans", "mixed")["mixed"]} == {"trans"}
    assert list(find_files(tmp_path, "full", "mixed")) == ["unmixed"]


def test_the_restriction_to_probability_goes_without_the_split_by_article(tmp_path):
    touch(tmp_path, *three("pb"), *three("unmixed"))
    assert list(find_files(tmp_path, "conservation", "pb")) == ["pb"]


@pytest.mark.parametrize("suffix", [".txt", ".gz", ".txt.xz", ".bz2"])
def test_file_names_may_have_endings(tmp_path, suffix):
    touch(tmp_path, *three("mixed", suffix=suffix))
    assert len(find_files(tmp_path, "conservation", "mixed")["mixed"]) == 3


def test_the_first_edition_has_names_of_its_own(tmp_path):
    touch(tmp_path, "corpus_train", "corpus_dev", "corpus_test")
    assert len(find_files(tmp_path, "conservation", "mixed")["mixed"]) == 3


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "none of the published files"),
        (three("mixed", "full"), "there are mixed_full"),
        (three("mixed")[:2], "no mixed_conservation_test"),
        ([*three("mixed"), "copy/mixed_conservation_dev.gz"], "are both mixed_conservation_dev"),
    ],
)
def test_what_is_missing_or_double_is_named(tmp_path, names, words):
    touch(tmp_path, *names)
    with pytest.raises(ProofmatchError, match=words):
        find_files(tmp_path, "conservation", "mixed")


def test_a_folder_is_needed(tmp_path):
    with pytest.raises(ProofmatchError, match="not a folder"):
        find_files(tmp_path / "nowhere", "conservation", "mixed")
