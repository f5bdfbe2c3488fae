"""A full or read-only disk: an error in one sentence, nothing half-written, and a rerun continues."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.faults.commands import FINAL, Commands, failure, proofmatch
from tests.faults.disks import small_disk
from tests.faults.errands import all_files

PLENTY = 1 << 30
PAGE = 4096
SHARE = 0.5  # of the space that a command needs

# The others begin to write as one of these does.
FIRST_TO_WRITE = ("build", "train", "baseline", "baseline.parquet", "report", "leaderboard", "export")


@pytest.fixture(scope="module")
def commands(release, tmp_path_factory) -> Commands:
    return Commands(release, tmp_path_factory.mktemp("commands"))


def files(place: Path) -> set[str]:
    """What is there, but for the curves, whose names have the time in them."""
    return {name for name in all_files(place) if "tfevents" not in name}


@pytest.mark.parametrize("name", FINAL)
def test_on_a_full_disk_a_command_says_so_and_goes_on_when_there_is_space(commands, tmp_path, name):
    with small_disk(tmp_path / "disk", PLENTY) as disk:
        assert proofmatch(*commands.arguments(name, disk.place)).returncode == 0
        needed, expected = disk.used(), files(disk.place)
        disk.clear()
        (disk.place / "filler").write_bytes(bytes(PAGE))  # a disk cannot be smaller than that
        disk.resize(PAGE + int(needed * SHARE) // PAGE * PAGE)
        said = failure(proofmatch(*commands.arguments(name, disk.place)))
        assert "No space left on device" in said
        assert str(disk.place) in said
        assert not (disk.place / FINAL[name]).exists()
        disk.resize(PLENTY)
        again = proofmatch(*commands.arguments(name, disk.place))
        assert again.returncode == 0, again.stderr
        assert files(disk.place) == {*expected, "filler"}


@pytest.mark.parametrize("name", FIRST_TO_WRITE)
def test_where_nothing_may_be_written_a_command_says_so(commands, tmp_path, name):
    with small_disk(tmp_path / "disk", PLENTY) as disk:
        disk.forbid_writing()
        said = failure(proofmatch(*commands.arguments(name, disk.place)))
        assert "Read-only file system" in said
        assert str(disk.place) in said


def test_what_was_there_before_is_there_after_a_failure(commands, tmp_path):
    with small_disk(tmp_path / "disk", PLENTY) as disk:
        for name in ("baseline", "evaluate", "report", "leaderboard"):
            assert proofmatch(*commands.arguments(name, disk.place)).returncode == 0
        before = all_files(disk.place)
        disk.resize(disk.used())
        for name in ("baseline", "evaluate", "report"):
            failure(proofmatch(*commands.arguments(name, disk.place)))
            assert all_files(disk.place) == before


def test_a_disk_ends_with_the_process_that_mounted_it(tmp_path):
    program = (
        "import sys, time; from pathlib import Path; from tests.faults.disks import small_disk\n"
        "with small_disk(Path(sys.argv[1]), 1 << 20) as disk:\n"
        "    (disk.place / 'file').touch(); print('mounted', flush=True); time.sleep(600)\n"
    )
    with small_disk(tmp_path / "here", PAGE):  # or skip
        pass
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "disk")], cwd=REPOSITORY, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"mounted\n"
        assert list((tmp_path / "disk").iterdir()) == []  # nobody else sees it
        process.kill()
    (tmp_path / "disk").rmdir()
