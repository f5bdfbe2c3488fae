"""One folder, one build, one configuration."""

import shutil

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.errors import ProofmatchError
from tests.builder.engine.killing import kill, start_build, wait_until
from tests.builder.engine.test_determinism import content


def test_other_settings_in_the_folder_of_an_unfinished_build_are_refused(articles, tmp_path):
    build = start_build(articles, tmp_path / "release")
    assert wait_until((tmp_path / "release" / ".build" / "settings.json").exists, build)
    kill(build.pid)
    build.wait()
    with pytest.raises(ProofmatchError, match="min_tokens was 20 and is now 10"):
        build_release(articles, tmp_path / "release", min_tokens=10)


def test_other_settings_in_the_folder_of_a_finished_release_are_refused(articles, release):
    before = content(release)
    with pytest.raises(ProofmatchError, match=r"seed was 0 and is now 5.*choose another --out"):
        build_release(articles, release, seed=5)
    assert content(release) == before


def test_a_finished_release_is_left_as_it_is(articles, release):
    manifest = release / "manifest.json"
    before = manifest.stat().st_mtime_ns
    assert build_release(articles, release) == release
    assert manifest.stat().st_mtime_ns == before


def test_a_folder_with_something_else_in_it_is_refused(articles, tmp_path):
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(ProofmatchError, match="not empty and not a release"):
        build_release(articles, tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_two_builds_at_a_time_in_one_folder_are_refused(articles, tmp_path):
    release = tmp_path / "release"
    first = start_build(articles, release)
    assert wait_until((release / ".build" / "settings.json").exists, first)
    second = start_build(articles, release)
    _, messages = second.communicate()
    first.communicate()
    assert first.returncode == 0
    # The first may have been quick enough to be finished; then there is nothing left to do.
    assert second.returncode == 0 or (second.returncode == 2 and "another build is writing" in messages)


def test_the_lock_of_a_running_build_is_seen_by_another_process(articles, tmp_path):
    release = tmp_path / "release"
    with RunFolder(release).opened({}):
        other = start_build(articles, release)
        _, messages = other.communicate()
    assert other.returncode == 2
    assert "another build is writing" in messages
    assert messages.count("\n") == 1


def test_a_source_changed_between_two_runs_is_read_again(articles, tmp_path):
    source = tmp_path / "articles"
    shutil.copytree(articles, source)
    whole = content(build_release(source, tmp_path / "whole", workers=1))
    build = start_build(source, tmp_path / "release", workers=1)
    assert wait_until(lambda: any((tmp_path / "release" / ".build" / "parts").glob("*.arrow")), build)
    kill(build.pid)
    build.wait()
    removed = source / "sample.0001.xhtml"
    text = removed.read_text()
    removed.unlink()
    built = content(build_release(source, tmp_path / "release", workers=1))
    assert built != whole
    removed.write_text(text)
    shutil.rmtree(tmp_path / "release")
    assert content(build_release(source, tmp_path / "release", workers=1)) == whole


def test_a_folder_that_cannot_be_written_is_one_clear_sentence(articles, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ProofmatchError, match="Not a directory"):
        build_release(articles, tmp_path / "file" / "release")


@pytest.mark.parametrize("name", [".build", ".build/parts", ".build/release", ".build/lock"])
def test_links_that_somebody_has_put_there_are_not_followed(articles, tmp_path, name):
    treasure, link = tmp_path / "treasure", tmp_path / "release" / name
    treasure.mkdir()
    (treasure / "keep.tmp").write_text("mine")
    link.parent.mkdir(parents=True)
    link.symlink_to(treasure / "keep.tmp" if name.endswith("lock") else treasure)
    with pytest.raises(ProofmatchError, match="is a symbolic link"):
        build_release(articles, tmp_path / "release")
    assert [path.read_text() for path in treasure.iterdir()] == ["mine"]


def test_nor_where_a_release_is_complete(articles, release, tmp_path):
    copy, treasure = shutil.copytree(release, tmp_path / "release"), tmp_path / "treasure"
    treasure.mkdir()
    (treasure / "keep").write_text("mine")
    (copy / ".build").symlink_to(treasure)
    with pytest.raises(ProofmatchError, match="is a symbolic link"):
        build_release(articles, copy)
    assert (treasure / "keep").read_text() == "mine"
