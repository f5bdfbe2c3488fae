"""A push leaves the repository with the release, and sends no more than it takes."""

from proofmatch.dataset_card.hub.report import in_units
from tests.dataset_card.hub.releases import REPOSITORY, held, local, remove, rewrite, travelled
from tests.hub.state import Blob


def changes(hub) -> list[str]:
    """What was asked of the Hub that may change something."""
    asked = [request for request in hub.requests if request.method not in ("GET", "HEAD")]
    return [request.path for request in asked if request.path != "/api/validate-yaml"]


def test_the_release_arrives_whole_and_alone(hub, owner, folder):
    (folder / ".build").mkdir()
    (folder / ".build" / "part.arrow").write_bytes(b"unfinished")
    (folder / "notes.txt").write_text("mine")
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert push.returncode == 0, push.stderr
    assert {name: content for name, content in held(hub).items() if name != ".gitattributes"} == local(folder)
    repository = hub.dataset(REPOSITORY)
    assert [commit.title for commit in repository.history("main")] == ["Release v1.0", "initial commit"]
    assert repository.tags == {"v1.0": repository.branches["main"]}
    assert not repository.private
    assert f"{hub.url}/datasets/{REPOSITORY}/tree/v1.0" in push.stdout
    assert f'load_dataset("{REPOSITORY}", "pairs", revision="v1.0")' in push.stdout

    hub.forget_traffic()
    again = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0")
    assert again.returncode == 0, again.stderr
    assert "holds this release already" in again.stdout
    assert len(repository.commits) == 2
    assert not hub.arrived


def test_only_what_changed_travels_and_only_what_is_ours_is_deleted(hub, owner, folder):
    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    repository = hub.dataset(REPOSITORY)
    repository.commit("main", {**repository.at("main").files, "NOTES.md": Blob(b"by somebody")}, "Add notes")
    hub.forget_traffic()
    rewrite(folder, "stats.json", (folder / "stats.json").read_bytes() + b"\n")
    remove(folder, "discarded.parquet")
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--message", "Mend the statistics")
    assert push.returncode == 0, push.stderr
    assert travelled(hub, folder) == {"stats.json", "manifest.json"}
    assert repository.at("main").title == "Mend the statistics"
    expected = local(folder) | {"NOTES.md": b"by somebody"}
    assert {name: content for name, content in held(hub).items() if name != ".gitattributes"} == expected
    assert "delete  discarded.parquet" in push.stdout
    assert f'revision="{repository.branches["main"]}"' in push.stdout

    hub.forget_traffic()
    table = "data/pairs/test-00000-of-00001.parquet"
    rewrite(folder, table, (folder / "data/pairs/train-00000-of-00001.parquet").read_bytes()[:-1])
    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    assert travelled(hub, folder) == {table, "manifest.json"}


def test_a_dry_run_tells_everything_and_changes_nothing(hub, owner, stranger, folder):
    for client in (stranger, owner):
        rehearsal = client.proofmatch(
            "push", str(folder), REPOSITORY, "--dry-run", "--private", "--tag", "v1.0"
        )
        assert rehearsal.returncode == 0, rehearsal.stderr
        assert f"{REPOSITORY} (private dataset, new)" in rehearsal.stdout
        assert f"add     README.md ({in_units((folder / 'README.md').stat().st_size)})" in rehearsal.stdout
        assert "v1.0" in rehearsal.stdout
    assert not hub.repositories

    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    head = hub.dataset(REPOSITORY).branches["main"]
    remove(folder, "discarded.parquet")
    hub.forget_traffic()
    rehearsal = stranger.proofmatch("push", str(folder), REPOSITORY, "--dry-run")
    assert rehearsal.returncode == 0, rehearsal.stderr
    assert "change  manifest.json" in rehearsal.stdout
    assert "delete  discarded.parquet (" in rehearsal.stdout
    assert hub.dataset(REPOSITORY).branches["main"] == head
    assert not changes(hub)


def test_a_private_release_is_not_published(hub, owner, folder):
    hub.create("datasets", REPOSITORY)
    push = owner.proofmatch("push", str(folder), REPOSITORY, "--private")
    assert push.returncode == 2
    assert "is public, but --private was asked for" in push.stderr
    assert not hub.arrived

    hub.dataset(REPOSITORY).private = True
    push = owner.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 0, push.stderr
    assert "is private, though --private was not asked for" in push.stdout
    assert hub.dataset(REPOSITORY).private


def test_a_tag_never_moves(hub, owner, folder):
    assert owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.0").returncode == 0
    tags = dict(hub.dataset(REPOSITORY).tags)
    remove(folder, "discarded.parquet")
    for tag, words in (("v1.0", "tags never move"), ("main", "is a branch")):
        hub.forget_traffic()
        push = owner.proofmatch("push", str(folder), REPOSITORY, "--tag", tag)
        assert push.returncode == 2
        assert words in push.stderr
        assert not changes(hub)
        assert not hub.arrived
    assert hub.dataset(REPOSITORY).tags == tags

    assert owner.proofmatch("push", str(folder), REPOSITORY, "--tag", "v1.1").returncode == 0
    assert hub.dataset(REPOSITORY).tags == tags | {"v1.1": hub.dataset(REPOSITORY).branches["main"]}
