"""A lock has one holder at a time, even if the last one deletes the lock together with its folder."""

import subprocess
import sys

import pytest

from proofmatch.storage import exclusive_lock, is_locked

HOLDER = """
import sys
from pathlib import Path
from proofmatch.storage import exclusive_lock

with exclusive_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""

# Adds one to a number in a file, with nothing but the lock to keep others from doing so at the same time; the
# lock and its folder are deleted each time, as at the end of a build.
COUNTER = """
import sys
from pathlib import Path
from proofmatch.storage import exclusive_lock, remove_lock

lock, number, done = Path(sys.argv[1]), Path(sys.argv[2]), 0
while done < int(sys.argv[3]):
    try:
        with exclusive_lock(lock):
            number.write_text(str(int(number.read_text()) + 1))
            remove_lock(lock)
        done += 1
    except BlockingIOError:
        pass
"""


def test_another_process_is_kept_out_until_the_holder_ends(tmp_path):
    lock = tmp_path / "folder" / "lock"
    assert not is_locked(lock)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        assert is_locked(lock)
        with pytest.raises(BlockingIOError), exclusive_lock(lock):
            pass
        holder.kill()
    assert not is_locked(lock)
    with exclusive_lock(lock):
        pass


def test_whoever_waits_for_a_lock_that_is_deleted_does_not_hold_the_deleted_one(tmp_path):
    (tmp_path / "number").write_text("0")
    command = [sys.executable, "-c", COUNTER, str(tmp_path / "folder" / "lock"), str(tmp_path / "number")]
    counters = [subprocess.Popen([*command, "500"]) for _ in range(3)]
    assert [counter.wait() for counter in counters] == [0, 0, 0]
    assert (tmp_path / "number").read_text() == "1500"


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    for folder, error in (
        (tmp_path / "file", FileExistsError),
        (tmp_path / "link", FileExistsError),
        (tmp_path / "file" / "folder", NotADirectoryError),
    ):
        with pytest.raises(error), exclusive_lock(folder / "lock"):
            pass
