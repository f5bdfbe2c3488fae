"""Which published files are found, in folders and archives, and that untrusted archives do no harm."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile

import pytest

from proofmatch.builder import published_source
from proofmatch.builder.published import import_published
from proofmatch.builder.published_source import HubPlace, LocalPlace, find_files, find_place
from proofmatch.errors import ProofmatchError
from tests.builder.published_corpus import pack, write_corpus
from tests.builder.test_published_files import HEAD, PAIR

SIZES = {"train": 24, "dev": 3, "test": 3}
PACKED = ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"]


def touch(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def three(family, symbols="conservation", suffix=""):
    return [f"{family}/{family}_{symbols}_{split}{suffix}" for split in ("train", "dev", "test")]


def found_in(folder, symbols="conservation", subset="mixed"):
    return find_files(LocalPlace(folder), symbols, subset).families


def test_families_are_told_apart_and_come_in_the_order_of_the_splits(tmp_path):
    touch(tmp_path, *three("mixed"), *three("unmixed"), *three("pb"), "README.md", "mixed/notes_train")
    families = found_in(tmp_path)
    assert list(families) == ["mixed", "unmixed"]
    for files in families.values():
        assert [file.split for file in files] == ["train", "validation", "test"]


def test_the_replaced_editions_are_chosen_by_name(tmp_path):
    touch(tmp_path, *three("mixed"), *three("mixed", "trans"), *three("unmixed", "full"))
    assert {file.symbols for file in found_in(tmp_path, "trans")["mixed"]} == {"trans"}
    assert list(found_in(tmp_path, "full")) == ["unmixed"]


def test_the_restriction_to_probability_goes_without_the_split_by_article(tmp_path):
    touch(tmp_path, *three("pb"), *three("unmixed"))
    assert list(found_in(tmp_path, subset="pb")) == ["pb"]


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".txt", bytes), (".gz", gzip.compress), (".txt.xz", lzma.compress), (".bz2", bz2.compress)],
)
def test_files_may_have_endings_and_be_compressed_one_by_one(tmp_path, suffix, compress):
    touch(tmp_path, *three("mixed", suffix=suffix))
    for name in three("mixed", suffix=suffix):
        (tmp_path / name).write_bytes(compress((HEAD + PAIR).encode()))
    files = found_in(tmp_path)["mixed"]
    assert [file.name for file in files] == [
        f"mixed_conservation_{split}" for split in ("train", "dev", "test")
    ]


@pytest.mark.parametrize("word", ["valid", "val", "validation"])
def test_dev_may_have_another_name(tmp_path, word):
    touch(tmp_path, *(name.replace("dev", word) for name in three("mixed")))
    assert [file.split for file in found_in(tmp_path)["mixed"]] == ["train", "validation", "test"]


def test_the_first_edition_has_names_of_its_own(tmp_path):
    touch(tmp_path, "corpus_train", "corpus_dev", "corpus_test")
    assert len(found_in(tmp_path)["mixed"]) == 3


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "none of the published files"),
        (three("mixed", "full"), "there are mixed_full"),
        (three("mixed")[:2], "no mixed_conservation_test"),
        ([*three("mixed"), "copy/mixed_conservation_dev.gz"], r"dev\.gz and .*dev are the same split"),
    ],
)
def test_missing_and_ambiguous_files_are_named(tmp_path, names, words):
    touch(tmp_path, *names)
    with pytest.raises(ProofmatchError, match=words):
        found_in(tmp_path)


@pytest.mark.parametrize("source", ["nowhere", "./no/where", "a/b/c", "/no/where", "owner/"])
def test_what_is_neither_a_folder_nor_a_dataset_is_refused(tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProofmatchError, match=r"neither a folder .* nor a dataset"):
        find_place(source)


def test_a_folder_with_a_name_like_a_dataset_is_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_place("waylonli/MATcH") == HubPlace("waylonli/MATcH")
    (tmp_path / "waylonli/MATcH").mkdir(parents=True)
    assert isinstance(find_place("waylonli/MATcH"), LocalPlace)
    with pytest.raises(ProofmatchError, match="--revision"):
        find_place("waylonli/MATcH", "main")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    write_corpus(folder, SIZES)
    write_corpus(folder, SIZES, symbols="full")
    return folder


@pytest.fixture(scope="module")
def imported(plain, tmp_path_factory):
    return import_published(plain, tmp_path_factory.mktemp("imported") / "release", workers=1)


def bytes_of(release):
    return {path.relative_to(release): path.read_bytes() for path in release.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("layout", ["one", "by family"])
def test_archives_give_the_release_of_the_plain_files(plain, imported, tmp_path, suffix, layout):
    folder = tmp_path / "packed"
    folder.mkdir()
    if layout == "one":
        pack(plain, folder / f"MATcH.{suffix}", backwards=True)
    else:
        for family in ("mixed", "unmixed"):
            pack(plain / family, folder / f"{family}.{suffix}")
        (folder / f"pb.{suffix}").write_bytes(b"never opened")
    assert bytes_of(import_published(folder, tmp_path / "release", workers=1)) == bytes_of(imported)
    if layout == "one":
        again = import_published(folder / f"MATcH.{suffix}", tmp_path / "again", workers=1)
        assert bytes_of(again) == bytes_of(imported)


def test_the_manifest_has_the_hash_of_each_text(plain, imported):
    import hashlib

    parameters = json.loads((imported / "manifest.json").read_text())["parameters"]
    assert parameters["files"] == {
        f"{family}_conservation_{split}": hashlib.sha256(
            (plain / family / f"{family}_conservation_{split}").read_bytes()
        ).hexdigest()
        for family in ("mixed", "unmixed")
        for split in ("train", "dev", "test")
    }
    assert "repository" not in parameters


def test_plain_files_come_before_those_of_archives(imported, tmp_path):
    folder = tmp_path / "both"
    folder.mkdir()
    write_corpus(folder, SIZES)
    (folder / "mixed.zip").write_bytes(b"never opened")
    (folder / "everything.tar.gz").write_bytes(b"never opened")
    assert bytes_of(import_published(folder, tmp_path / "release", workers=1)) == bytes_of(imported)


def test_a_finished_import_of_other_texts_is_refused(imported, tmp_path):
    write_corpus(tmp_path, SIZES)
    changed = tmp_path / "mixed/mixed_conservation_dev"
    changed.write_text(changed.read_text().replace("text\tProof.", "text\tSketch."))
    with pytest.raises(ProofmatchError, match="another mixed_conservation_dev"):
        import_published(tmp_path, imported, workers=1)


def tar_with(path, add):
    with tarfile.open(path, "w:gz") as archive:
        add(archive)


def member(name, **more):
    info = tarfile.TarInfo(name)
    for key, value in more.items():
        setattr(info, key, value)
    return info


@pytest.mark.parametrize(
    ("info", "words"),
    [
        (member("mixed_conservation_train", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "link"),
        (member("mixed_conservation_train", type=tarfile.LNKTYPE, linkname="secret"), "link"),
        (member("mixed_conservation_train", type=tarfile.FIFOTYPE), "device"),
        (member("../mixed_conservation_train"), "leaves the archive"),
        (member("/mixed_conservation_train"), "absolute"),
    ],
)
def test_members_that_lead_elsewhere_are_refused(tmp_path, info, words):
    tar_with(tmp_path / "MATcH.tar.gz", lambda archive: archive.addfile(info))
    with pytest.raises(ProofmatchError, match=rf"MATcH\.tar\.gz cannot be read .*{words}"):
        import_published(tmp_path, tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_bombs_end_at_the_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(published_source, "_LARGEST_ARCHIVE", 2**22)
    monkeypatch.setattr(published_source, "_LARGEST_FILE", 2**21)
    bomb = member("notes", size=2**23)
    tar_with(tmp_path / "MATcH.tar.gz", lambda archive: archive.addfile(bomb, io.BytesIO(bytes(2**23))))
    with pytest.raises(ProofmatchError, match=r"MATcH\.tar\.gz cannot be read .*far larger"):
        import_published(tmp_path, tmp_path / "release")
    (tmp_path / "MATcH.tar.gz").unlink()
    with zipfile.ZipFile(tmp_path / "MATcH.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mixed_conservation_train", HEAD + PAIR * 20_000)
    with pytest.raises(ProofmatchError, match="far larger"):
        import_published(tmp_path, tmp_path / "release")
    (tmp_path / "MATcH.zip").unlink()
    packed = gzip.compress((HEAD + PAIR * 20_000).encode())
    (tmp_path / "mixed_conservation_train.gz").write_bytes(packed)
    with pytest.raises(ProofmatchError, match=r"train\.gz is far larger"):
        import_published(tmp_path, tmp_path / "release")


@pytest.mark.parametrize("suffix", PACKED)
def test_a_truncated_archive_is_one_sentence(plain, tmp_path, suffix):
    path = tmp_path / f"MATcH.{suffix}"
    pack(plain, path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ProofmatchError, match=r"cannot be read \(.*\); download it again") as refused:
        import_published(tmp_path, tmp_path / "release", workers=1)
    assert "\n" not in str(refused.value)


def test_a_fault_in_a_member_names_archive_member_and_line(tmp_path):
    with zipfile.ZipFile(tmp_path / "MATcH.zip", "w") as archive:
        for split in ("train", "dev", "test"):
            archive.writestr(
                f"data/mixed_conservation_{split}", HEAD + PAIR.replace("text\tLet", "txet\tLet")
            )
    with pytest.raises(ProofmatchError, match=r"MATcH\.zip/mixed_conservation_\w+, line 8: expected"):
        import_published(tmp_path, tmp_path / "release", workers=1)
