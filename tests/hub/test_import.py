"""The published corpus on the Hub, imported by its id: plain or archived, public or gated, never twice."""

import json
import os
import signal

import pytest

from proofmatch.builder import import_published
from proofmatch.builder.release.release import open_release
from tests.builder.published_corpus import pack, write_corpus
from tests.hub.client import IMPATIENT

ID = "waylonli/MATcH"
SIZES = {"train": 40, "dev": 5, "test": 5}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """All of what is published: three families, in two editions."""
    folder = tmp_path_factory.mktemp("plain")
    for symbols in ("conservation", "full"):
        write_corpus(folder, SIZES, symbols=symbols)
    for number, path in enumerate(sorted(folder.rglob("*_full_*")), start=1):
        path.write_bytes(path.read_bytes() + b"\n" * number)  # another file, for the storage
    for path in list((folder / "mixed").iterdir()):
        (folder / "pb").mkdir(exist_ok=True)
        (folder / "pb" / path.name.replace("mixed", "pb")).write_bytes(path.read_bytes() + b"\n" * 9)
    (folder / "README.md").write_text("# MATcH\n")
    return folder


@pytest.fixture(scope="module")
def archived(plain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("archived")
    pack(plain / "mixed", folder / "mixed.zip")
    pack(plain / "unmixed", folder / "unmixed.tar.gz")
    pack(plain / "pb", folder / "pb.tar.gz")
    (folder / "code.zip").write_bytes(b"nothing to do with it")
    return folder


@pytest.fixture(scope="module")
def expected(plain, tmp_path_factory):
    """The tables that an import of the folder gives."""
    release = import_published(plain, tmp_path_factory.mktemp("expected") / "release", workers=1)
    return open_release(release).tables_sha256


def run_import(client, out, *more, patient=False):
    return client.proofmatch("import", ID, "--out", str(out), "--workers", "1", *more, patient=patient)


def fetched(hub):
    """Names of the files that were sent."""
    large = {blob.sha256: path for path, blob in hub.dataset(ID).at("main").files.items()}
    names = [request.path.rpartition("/")[2] for request in hub.downloads()]
    return sorted(large.get(name, name).rpartition("/")[2] for name in names)


def test_one_command_downloads_what_it_needs_and_nothing_twice(hub, stranger, plain, expected, tmp_path):
    commit = hub.publish(ID, plain).branches["main"]
    done = run_import(stranger, tmp_path / "match")
    assert done.returncode == 0, done.stderr
    splits = ("dev", "test", "train")
    needed = [f"{family}_conservation_{split}" for family in ("mixed", "unmixed") for split in splits]
    assert fetched(hub) == needed
    assert "downloading: 6 files" in done.stderr

    release = open_release(tmp_path / "match")
    assert release.tables_sha256 == expected
    assert release.parameters["repository"] == ID
    assert release.parameters["revision"] == commit
    assert sorted(release.parameters["files"]) == needed
    card = (tmp_path / "match/README.md").read_text()
    assert ID in card
    assert commit in card

    hub.forget_traffic()
    again = run_import(stranger, tmp_path / "match")
    assert again.returncode == 0
    assert "already complete" in again.stdout
    assert "this release: train 40, validation 5, test 5" in again.stdout
    assert "the paper:    train 147,276, validation 18,409, test 18,409" in again.stdout
    assert not hub.requests  # nothing is asked for a release that is finished
    elsewhere = run_import(stranger, tmp_path / "elsewhere")
    assert elsewhere.returncode == 0
    assert not hub.downloads()
    assert (tmp_path / "elsewhere/manifest.json").read_bytes() == (
        tmp_path / "match/manifest.json"
    ).read_bytes()


def test_archives_are_read_where_they_are(hub, stranger, archived, expected, tmp_path):
    hub.publish(ID, archived, large=0)
    done = run_import(stranger, tmp_path / "match")
    assert done.returncode == 0, done.stderr
    assert fetched(hub) == ["mixed.zip", "unmixed.tar.gz"]
    assert open_release(tmp_path / "match").tables_sha256 == expected


def test_a_revision_is_pinned(hub, stranger, plain, expected, tmp_path):
    repository = hub.publish(ID, plain)
    first = repository.tags["v1"] = repository.branches["main"]
    repository.commit("main", {}, "Delete everything")
    missing = run_import(stranger, tmp_path / "match")
    assert missing.returncode == 2
    assert "none of the published files" in missing.stderr
    for revision in ("v1", first):
        assert run_import(stranger, tmp_path / "match", "--revision", revision).returncode == 0
    release = open_release(tmp_path / "match")
    assert release.parameters["revision"] == first
    assert release.tables_sha256 == expected
    other = run_import(stranger, tmp_path / "match", "--revision", "main")
    assert other.returncode == 2
    unknown = run_import(stranger, tmp_path / "other", "--revision", "v2")
    assert unknown.returncode == 2
    assert "no revision v2" in unknown.stderr


def test_a_cut_connection_is_continued_within_the_file(hub, stranger, archived, expected, tmp_path):
    hub.publish(ID, archived, large=0)
    hub.faults.cut_downloads = 2
    script = f"from huggingface_hub import constants; constants.DOWNLOAD_CHUNK_SIZE = 4096; {IMPATIENT}"
    done = stranger.python(script, "import", ID, "--out", str(tmp_path / "match"), "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "://" not in done.stderr  # addresses in the storage are signed
    ranges = [request.headers.get("range") for request in hub.downloads() if request.host == "storage"]
    size = (archived / "mixed.zip").stat().st_size
    first = size // 2 // 4096 * 4096  # what arrived of the first half
    second = first + (size - first) // 2 // 4096 * 4096
    assert ranges[:3] == [None, f"bytes={first}-", f"bytes={second}-"]
    assert open_release(tmp_path / "match").tables_sha256 == expected


def test_a_reset_connection_is_tried_again(hub, stranger, archived, expected, tmp_path):
    hub.publish(ID, archived, large=0)
    hub.faults.reset_downloads = 2
    done = run_import(stranger, tmp_path / "match")
    assert done.returncode == 0, done.stderr
    assert open_release(tmp_path / "match").tables_sha256 == expected


def test_a_lasting_failure_is_one_sentence_and_the_next_run_keeps_complete_files(
    hub, stranger, archived, tmp_path
):
    hub.publish(ID, archived, large=0)
    with hub.lock:
        lost = hub.objects.pop(hub.dataset(ID).at("main").files["unmixed.tar.gz"].sha256)
    broken = run_import(stranger, tmp_path / "match")
    assert broken.returncode == 2
    assert len(broken.stderr.strip().splitlines()) <= 2
    assert "Traceback" not in broken.stderr
    hub.forget_traffic()
    hub.publish(ID, archived, large=0)
    assert lost
    assert run_import(stranger, tmp_path / "match").returncode == 0
    assert fetched(hub) == ["unmixed.tar.gz"]


def test_a_killed_import_goes_on_at_its_commit(hub, stranger, plain, expected, tmp_path):
    repository = hub.publish(ID, plain)
    first = repository.branches["main"]
    # Killed in the middle of reading pairs: the run folder is there, and main moves on.
    script = (
        "import os, signal, sys; from proofmatch.builder import published; "
        "published.assemble_release = lambda *_: os.kill(os.getpid(), signal.SIGKILL); "
        "from proofmatch.cli import main; sys.exit(main())"
    )
    killed = stranger.python(script, "import", ID, "--out", str(tmp_path / "match"), "--workers", "1")
    assert killed.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path / "match") == [".build"]  # noqa: PTH208 - names are enough
    repository.commit("main", {}, "Delete everything")
    done = run_import(stranger, tmp_path / "match")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "match/manifest.json").read_text())["parameters"]["revision"] == first
    assert open_release(tmp_path / "match").tables_sha256 == expected


def test_a_gated_dataset_says_what_to_do_until_its_terms_are_accepted(
    hub, stranger, owner, plain, expected, tmp_path
):
    repository = hub.publish(ID, plain, gated=set())
    for client, words in ((stranger, "hf auth login"), (owner, "the account of your token")):
        refused = run_import(client, tmp_path / "match")
        assert refused.returncode == 2
        assert f"{hub.url}/datasets/{ID}" in refused.stderr
        assert "accept its terms" in refused.stderr
        assert words in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
        assert not (tmp_path / "match").exists()
    repository.gated = {"ada"}
    assert run_import(owner, tmp_path / "match").returncode == 0
    assert open_release(tmp_path / "match").tables_sha256 == expected


@pytest.mark.parametrize("case", ["absent", "private", "bad token", "offline", "unreachable"])
def test_each_refusal_is_one_sentence_with_the_remedy(hub, owner, plain, tmp_path, case, monkeypatch):
    client, words = owner, "check the name"
    if case != "absent":
        hub.publish(ID, plain).private = case == "private"
    if case == "private":
        words = "hf auth login"
    if case == "bad token":
        hub.faults.refuse_tokens, words = True, "refuses the token"
    if case == "offline":
        words = "HF_HUB_OFFLINE"
        monkeypatch.setattr(
            type(owner),
            "environment",
            property(lambda _, set=owner.environment: set | {"HF_HUB_OFFLINE": "1"}),
        )
    if case == "unreachable":
        hub.url, words = "http://127.0.0.1:9", "check the network"
    refused = run_import(client, tmp_path / "match")
    assert refused.returncode == 2
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1, refused.stderr
    assert not (tmp_path / "match").exists()


def test_a_damaged_file_in_the_cache_is_found(hub, stranger, plain, tmp_path):
    hub.publish(ID, plain)
    assert run_import(stranger, tmp_path / "match").returncode == 0
    damaged = next(stranger.home.rglob("unmixed_conservation_dev")).resolve()
    damaged.write_bytes(damaged.read_bytes().replace(b"w1", b"w2"))
    refused = run_import(stranger, tmp_path / "elsewhere")
    assert refused.returncode == 2
    assert str(damaged) in refused.stderr
    damaged.unlink()
    assert run_import(stranger, tmp_path / "elsewhere").returncode == 0


PREPARE = """
import json, sys
from proofmatch.builder import ProofMatchBuilder

cache, options = sys.argv[1], json.loads(sys.argv[2])
builder = ProofMatchBuilder(**options, cache_dir=cache)
streamed = builder.as_streaming_dataset(split="test") if sys.argv[3] == "stream" else None
if streamed is None:
    builder.download_and_prepare()
rows = list(streamed if streamed is not None else builder.as_dataset(split="test"))
print(json.dumps(rows))
"""


@pytest.mark.parametrize("how", ["prepare", "stream"])
def test_the_builder_of_datasets_does_the_same(hub, owner, archived, plain, tmp_path, how):
    hub.publish(ID, archived if how == "prepare" else plain, large=0, gated={"ada"})
    release = open_release(import_published(plain, tmp_path / "release", workers=1))
    for options, config in (
        ({"config_name": "match"}, "pairs"),
        ({"config_name": "statements", "published": ID, "token": owner.token}, "statements"),
    ):
        done = owner.python(PREPARE, str(tmp_path / "cache"), json.dumps(options), how)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1]) == release.table(config, "test").to_pylist()
    needed = 2 if how == "prepare" else 6
    assert len(hub.downloads()) == needed  # one release for all configurations
    assert len(list((tmp_path / "cache/proofmatch-releases").iterdir())) == 1


def test_the_builder_explains_refusals(hub, stranger, plain, tmp_path):
    hub.publish(ID, plain, gated=set())
    refused = stranger.python(PREPARE, str(tmp_path / "cache"), '{"config_name": "match"}', "prepare")
    assert "ProofmatchError" in refused.stderr
    assert "accept its terms" in refused.stderr
