"""What cannot be pushed is refused in one sentence, as early as possible, and the token is never shown."""

import json
from dataclasses import replace

import pytest

from proofmatch.builder.release.push import push_release
from proofmatch.errors import ProofmatchError
from tests.hub.releases import REPOSITORY, card_with_unknown_license, held, local, rewrite


def last_line(push) -> str:
    assert "Traceback" not in push.stderr
    return push.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("role", "repository", "words"),
    [
        (None, REPOSITORY, "the Hub refuses the token"),
        ("read", REPOSITORY, "the token may not write to"),
        ("write", "eve/statement-proof-matching", "the token may not write to"),
    ],
)
def test_tokens_without_permission(hub, owner, folder, role, repository, words):
    token = hub.add_token("ada", role) if role else "hf_noSuchToken"
    push = replace(owner, token=token).proofmatch("push", str(folder), repository)
    assert push.returncode == 2
    assert words in last_line(push)
    assert "https://huggingface.co/settings/tokens" in last_line(push)
    assert token not in push.stderr + push.stdout
    assert not hub.repositories


def test_a_read_only_token_on_a_repository_that_exists(hub, owner, folder):
    hub.create("datasets", REPOSITORY)
    push = replace(owner, token=hub.add_token("ada", "read")).proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 2
    assert "the token may not write to" in last_line(push)
    assert not hub.arrived


def test_no_token(hub, stranger, folder):
    push = stranger.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 2
    assert "there is no token for the Hub; run `hf auth login`" in last_line(push)
    assert not hub.requests


def test_a_token_that_cannot_be_sent_is_not_shown(hub, owner, folder):
    push = replace(owner, token="hf_secret of\tmine…").proofmatch("push", str(folder), REPOSITORY)  # noqa: S106
    assert push.returncode == 2
    assert "characters that no token can have" in last_line(push)
    assert "secret" not in push.stderr + push.stdout
    assert not hub.requests


def test_no_network(hub, owner, folder):
    hub.url = "http://127.0.0.1:9"  # where nobody listens
    push = owner.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 2
    assert "the connection to the Hub failed" in last_line(push)
    assert owner.token not in push.stderr


def test_a_damaged_release_is_refused_before_any_request(hub, owner, folder):
    (folder / "stats.json").write_text("{}")
    push = owner.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 2
    assert "stats.json is not as manifest.json describes it" in last_line(push)
    assert not hub.requests


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "discarded.parquet").unlink(), "discarded.parquet is missing"),
        (lambda folder: (folder / "manifest.json").unlink(), "it has no manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "is not the manifest of a release"),
        (lambda folder: empty_manifest(folder), "lists no files"),
        (lambda folder: name_in_manifest(folder, "../secret"), "cannot be part of a release"),
        (lambda folder: name_in_manifest(folder, "/etc/passwd"), "cannot be part of a release"),
        (lambda folder: name_in_manifest(folder, ".git/config"), "cannot be part of a release"),
    ],
)
def test_incomplete_releases_are_refused(folder, monkeypatch, damage, words):
    monkeypatch.setenv("HF_TOKEN", "hf_neverSent")
    damage(folder)
    with pytest.raises(ProofmatchError, match=words):
        push_release(folder, REPOSITORY)


def empty_manifest(folder) -> None:
    (folder / "manifest.json").write_text(json.dumps({"parameters": {}, "files": {}}))


def name_in_manifest(folder, name) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"][name] = {"bytes": 0, "sha256": ""}
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("name", ["no-owner", "a/b/c", "a/b--c", "a/.b", "a/b c", "", "a/", "https://x/a/b"])
def test_bad_repository_names(folder, name):
    with pytest.raises(ProofmatchError, match="write OWNER/NAME"):
        push_release(folder, name)


@pytest.mark.parametrize(
    "tag", ["", "a b", "v1..2", "v1.", "-v1", ".v1", "v1.lock", "v/1", "v~1", "v1:2", "é"]
)
def test_bad_tags(folder, tag):
    with pytest.raises(ProofmatchError, match="is not a valid --tag"):
        push_release(folder, REPOSITORY, tag=tag)


def test_what_arrives_damaged_fails_the_push_and_the_next_repairs_it(hub, owner, folder):
    for file in ("README.md", "data/pairs/test-00000-of-00001.parquet"):
        hub.faults.corrupt = {file}
        push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
        assert push.returncode == 1
        assert f"{file} is damaged" in last_line(push)
        assert not hub.dataset(REPOSITORY).tags
    hub.faults.corrupt = set()
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert push.returncode == 0, push.stderr
    assert {
        name: content for name, content in held(hub, "v1.0").items() if name != ".gitattributes"
    } == local(folder)


def test_a_card_that_the_hub_does_not_accept_is_refused_before_the_repository_is_made(hub, owner, folder):
    rewrite(folder, "README.md", card_with_unknown_license(folder))
    push = owner.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 2
    assert '"license" must be one of' in last_line(push)
    assert not hub.repositories
