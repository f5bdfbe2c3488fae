"""The same input gives the same bytes, whatever the workers, the container and the order of the files."""

import hashlib
import tarfile
import zipfile
from pathlib import Path

import pytest

from proofmatch.builder import build_release


def content(release: Path) -> dict[str, str]:
    """Hash everything but the manifest, which names the sources."""
    return {
        path.relative_to(release).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(release.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


@pytest.fixture(scope="module")
def expected(release):
    return content(release)


@pytest.mark.parametrize("workers", [2, 3])
def test_bytes_do_not_depend_on_the_number_of_workers(articles, expected, tmp_path, workers):
    assert content(build_release(articles, tmp_path / "release", workers=workers)) == expected


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_bytes_do_not_depend_on_the_container_nor_on_the_order_in_it(articles, expected, tmp_path, kind):
    archive = tmp_path / f"articles.{kind}"
    files = sorted(articles.iterdir(), reverse=True)
    if kind == "zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.write(file, file.name)
    else:
        mode = "w:" + kind.removeprefix("tar").removeprefix(".")
        with tarfile.open(archive, mode) as packed:
            for file in files:
                packed.add(file, file.name)
    release = build_release(archive, tmp_path / "release", workers=2)
    assert content(release) == expected


def test_a_source_given_twice_changes_nothing_but_what_was_read(articles, expected, tmp_path):
    built = content(build_release([articles, articles], tmp_path / "release", workers=2))
    tables = {name: hash_ for name, hash_ in expected.items() if name.startswith("data/")}
    assert {name: hash_ for name, hash_ in built.items() if name.startswith("data/")} == tables


def test_another_seed_gives_other_splits_of_the_same_pairs(articles, release, tmp_path):
    import pyarrow.parquet as pq

    other = build_release(articles, tmp_path / "release", workers=2, seed=1)

    def ids(folder: Path, split: str = "*") -> set[str]:
        return {
            id_
            for path in (folder / "data" / "pairs").glob(f"{split}-*.parquet")
            for id_ in pq.read_table(path)["id"].to_pylist()
        }

    assert ids(other) == ids(release)
    assert ids(other, "test") != ids(release, "test")
