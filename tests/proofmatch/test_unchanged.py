"""What was read from a file that changed in the meantime is refused."""

import os
from pathlib import Path

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.storage import unchanged


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("more")


def rewrite(path: Path) -> None:
    path.write_text("other")
    os.utime(path, (1, 1))  # whatever the clock says


def replace(path: Path) -> None:
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    other = path.with_name("other")
    other.write_bytes(path.read_bytes()[::-1])
    os.utime(other, ns=times)
    other.replace(path)


def truncate(path: Path) -> None:
    os.truncate(path, 1)


@pytest.mark.parametrize("change", [append, rewrite, replace, truncate, Path.unlink])
def test_a_file_that_changes_is_named(tmp_path, change):
    same, other = tmp_path / "same", tmp_path / "file"
    same.write_text("first")
    other.write_text("first")
    with (
        pytest.raises(ProofmatchError, match=rf"{other} was changed while it was read; run the same command"),
        unchanged([same, other]),
    ):
        change(other)


def test_files_that_stay_as_they_are_may_be_read(tmp_path):
    (tmp_path / "file").write_text("first")
    with unchanged([tmp_path / "file"]):
        assert (tmp_path / "file").read_text() == "first"


def test_another_error_is_told_instead(tmp_path):
    (tmp_path / "file").write_text("first")
    with pytest.raises(ValueError, match="inside"), unchanged([tmp_path / "file"]):
        append(tmp_path / "file")
        raise ValueError("inside")
