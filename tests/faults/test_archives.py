"""An archive that changes under a build: the release is that of the old or the new one, or absent."""

import io
import os
import signal
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from proofmatch.builder import build_release
from tests.builder.engine.killing import kill, start_build, wait_until
from tests.builder.engine.test_determinism import content
from tests.faults.stopping import go_on, wait_until_stopped

# So that the archive has more batches than a build with one worker takes at a time: it begins to read a fifth
# one when the first is done, of about six.
PADDING = b"<!--" + b" " * 1_000_000 + b"-->"


def pack(archive: Path, articles: Iterable[Path], edition: str) -> Path:
    """Pack articles under ids of their own; all editions have the same sizes, and so the same places."""
    with tarfile.open(archive, "w") as packed:
        for article in articles:
            member = tarfile.TarInfo(article.name.replace("sample", edition))
            data = article.read_bytes().replace(b"sample.", f"{edition}.".encode()) + PADDING
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
    return archive


@pytest.fixture(scope="module")
def editions(articles, tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("editions")
    found = sorted(articles.iterdir())
    return {edition: pack(folder / f"{edition}.tar", found, edition) for edition in ("olden", "newer")}


def replace(archive: Path, newer: Path) -> None:
    other = archive.with_name("other")
    other.write_bytes(newer.read_bytes())
    other.replace(archive)


def overwrite(archive: Path, newer: Path) -> None:
    with archive.open("r+b") as file:
        file.write(newer.read_bytes())


def truncate(archive: Path, _newer: Path) -> None:
    os.truncate(archive, archive.stat().st_size * 3 // 4)


def grow(archive: Path, newer: Path) -> None:
    with tarfile.open(archive, "a") as packed, tarfile.open(newer) as more:
        for member in more.getmembers()[:5]:
            packed.addfile(member, more.extractfile(member))


CHANGES = [replace, overwrite, truncate, grow]


@pytest.fixture(scope="module")
def release_of(editions, tmp_path_factory) -> Callable[[Callable[[Path, Path], None] | None], dict[str, str]]:
    """The releases of the archive before and after each change."""
    made: dict[object, dict[str, str]] = {}

    def build(change: Callable[[Path, Path], None] | None) -> dict[str, str]:
        key = replace if change is overwrite else change
        if key not in made:
            folder = tmp_path_factory.mktemp("edition")
            archive = folder / "articles.tar"
            archive.write_bytes(editions["olden"].read_bytes())
            if key is not None:
                key(archive, editions["newer"])
            made[key] = content(build_release(archive, folder / "release", workers=2))
        return made[key]

    return build


def begin(archive: Path, release: Path):
    """Start a build and wait for its first part, when it is about in the middle of the archive."""
    build = start_build(archive, release, workers=1)
    assert wait_until(lambda: any((release / ".build" / "parts").glob("*.arrow")), build)
    return build


def finish(archive: Path, release: Path) -> dict[str, str]:
    build = start_build(archive, release)
    _, said = build.communicate()
    assert build.returncode == 0, said
    return content(release)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_archive_that_changes_while_it_is_read(editions, release_of, tmp_path, change):
    archive, release = tmp_path / "articles.tar", tmp_path / "release"
    archive.write_bytes(editions["olden"].read_bytes())
    build = begin(archive, release)
    build.send_signal(signal.SIGSTOP)
    wait_until_stopped(build.pid)
    change(archive, editions["newer"])
    go_on(build.pid)
    _, said = build.communicate()
    if build.returncode == 0:  # it had read all of it
        assert content(release) == release_of(None)
        return
    assert build.returncode == 2, said
    assert said.splitlines()[-1].endswith(
        f"{archive} was changed while it was read; run the same command again when it is complete"
    )
    assert "Traceback" not in said
    assert finish(archive, release) == release_of(change)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_archive_that_changes_between_a_kill_and_the_next_attempt(editions, release_of, tmp_path, change):
    archive, release = tmp_path / "articles.tar", tmp_path / "release"
    archive.write_bytes(editions["olden"].read_bytes())
    build = begin(archive, release)
    kill(build.pid)
    build.communicate()
    change(archive, editions["newer"])
    assert finish(archive, release) == release_of(change)
