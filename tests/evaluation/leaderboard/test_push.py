"""The site on the Hub: a static Space, with the files of the folder and no outdated ones of ours."""

from pathlib import Path

SPACE = "ada/leaderboard"


def push(client, results, site, *options):
    return client.proofmatch("leaderboard", str(results), "--out", str(site), "--push", SPACE, *options)


def local(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def held(hub) -> dict[str, bytes]:
    files = hub.space(SPACE).at("main").files
    return {name: hub.content(blob) for name, blob in files.items()}


def test_the_site_arrives_whole_and_again_only_what_changed(hub, owner, results, tmp_path):
    site = tmp_path / "site"
    first = push(owner, results, site)
    assert first.returncode == 0, first.stderr
    assert f"{hub.url}/spaces/{SPACE}/tree/" in first.stdout
    assert "public space, new" in first.stdout
    assert "load_dataset" not in first.stdout
    assert held(hub).items() >= local(site).items()
    (made,) = [request.json() for request in hub.requests if request.path == "/api/repos/create"]
    assert (made["type"], made["sdk"]) == ("space", "static")
    assert not hub.space(SPACE).private

    hub.forget_traffic()
    again = push(owner, results, site)
    assert again.returncode == 0, again.stderr
    assert "holds this site already" in again.stdout
    assert not hub.arrived

    hub.forget_traffic()
    (results / "by-article" / "dice.result.json").unlink()
    third = push(owner, results, site)
    assert third.returncode == 0, third.stderr
    assert "delete  results/by-article/dice.result.json" in third.stdout
    assert "results/by-article/dice.result.json" not in held(hub)
    assert set(hub.arrived) == {"index.html", "leaderboard.json"}


def test_a_dry_run_sends_nothing(hub, owner, stranger, results, tmp_path):
    for client in (owner, stranger):
        run = push(client, results, tmp_path / "site", "--dry-run")
        assert run.returncode == 0, run.stderr
        assert "Nothing was sent" in run.stdout
    assert not hub.repositories
    assert (tmp_path / "site" / "index.html").exists()


def test_private_spaces_are_private_and_public_ones_refused(hub, owner, results, tmp_path):
    assert push(owner, results, tmp_path / "site", "--private").returncode == 0
    assert hub.space(SPACE).private
    hub.space(SPACE).private = False
    refused = push(owner, results, tmp_path / "site", "--private")
    assert refused.returncode == 2
    assert "is public" in refused.stderr


def test_without_a_token_there_is_one_sentence(stranger, results, tmp_path):
    run = push(stranger, results, tmp_path / "site")
    assert run.returncode == 2
    assert "there is no token for the Hub" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_site_that_arrives_damaged_is_a_failed_check(hub, owner, results, tmp_path):
    hub.faults.corrupt = {"index.html"}
    run = push(owner, results, tmp_path / "site")
    assert run.returncode == 1
    assert "does not hold the site: index.html is damaged" in run.stderr
