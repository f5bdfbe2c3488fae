"""The folder of a training: its lock, its checkpoints, and readable disk errors."""

import errno
import os
import subprocess
import sys
import threading

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.training.model_folder import (
    delete_old_checkpoints,
    exclusive_use,
    last_checkpoint,
    readable_disk_errors,
)

HOLDER = """
import sys
from pathlib import Path
from proofmatch.training.model_folder import exclusive_use

with exclusive_use(Path(sys.argv[1])):
    print("alone", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("is_killed", [False, True], ids=["ends", "is killed"])
def test_the_lock_is_held_until_its_process_ends_or_is_killed(tmp_path, is_killed):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"alone\n"
        with pytest.raises(ProofmatchError, match=r"another training is writing to .*; wait for it or"):
            exclusive_use(tmp_path).__enter__()
        if is_killed:
            holder.kill()
        else:
            holder.stdin.close()
        holder.wait()
    with exclusive_use(tmp_path):
        assert list(tmp_path.iterdir()) == []


def test_an_error_releases_the_lock(tmp_path):
    with pytest.raises(ValueError, match="inside"), exclusive_use(tmp_path):
        raise ValueError("inside")
    with exclusive_use(tmp_path):
        pass


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(errno.ENOSPC, "in the words of a library"), "No space left on device"),
        (RuntimeError("[enforce fail at inline_container.cc:668] . unexpected\nand more"), "[enforce fail"),
    ],
    ids=["the system", "torch"],
)
def test_a_disk_error_is_one_sentence_with_the_remedy(tmp_path, error, reason):
    with pytest.raises(ProofmatchError) as caught, readable_disk_errors(tmp_path):
        raise error
    assert f"the training in {tmp_path} cannot continue ({reason}" in str(caught.value)
    assert str(caught.value).endswith("continue with --resume")
    assert "\n" not in str(caught.value)


def test_other_errors_pass_through(tmp_path):
    with pytest.raises(RuntimeError, match="shapes"), readable_disk_errors(tmp_path):
        raise RuntimeError("shapes do not fit")


def test_only_disk_errors_of_threads_are_ignored_and_only_within_the_context(tmp_path, monkeypatch):
    heard: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda thread: heard.append(thread.exc_value))

    def fail(error: Exception) -> None:
        def run() -> None:
            raise error

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    full, other = OSError(errno.ENOSPC, "full"), ValueError("other")
    with readable_disk_errors(tmp_path):
        fail(full)
        fail(other)
    assert heard == [other]
    fail(full)
    assert heard == [other, full]


def checkpoint(folder, name, state='{"global_step": 1}', generators=("rng_state.pth",)):
    path = folder / name
    path.mkdir()
    for generator in generators:
        (path / generator).touch()
    if state is not None:
        (path / "trainer_state.json").write_text(state)
    return path


def test_the_last_checkpoint_has_the_highest_step(tmp_path):
    newest = checkpoint(tmp_path, "checkpoint-100")
    checkpoint(tmp_path, "checkpoint-99")
    checkpoint(tmp_path, "checkpoint-best")
    assert last_checkpoint(tmp_path) == newest


@pytest.mark.parametrize("state", [None, "", '{"global_step": ', "\0\0\0"])
def test_incomplete_checkpoints_are_skipped(tmp_path, state):
    checkpoint(tmp_path, "checkpoint-20", state)
    assert last_checkpoint(tmp_path) is None
    whole = checkpoint(tmp_path, "checkpoint-10")
    assert last_checkpoint(tmp_path) == whole


def test_a_checkpoint_needs_the_files_of_every_process(tmp_path):
    whole = checkpoint(tmp_path, "checkpoint-10", generators=["rng_state_0.pth", "rng_state_1.pth"])
    checkpoint(tmp_path, "checkpoint-20", generators=["rng_state_0.pth"])
    assert last_checkpoint(tmp_path, processes=2) == whole
    assert last_checkpoint(tmp_path, processes=3) is None


def test_there_may_be_no_checkpoint(tmp_path):
    assert last_checkpoint(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("kept", "best", "left"),
    [
        (1, None, [100]),
        (1, 100, [100]),
        (1, 9, [9, 100]),
        (2, None, [99, 100]),
        (2, 9, [9, 100]),
        (2, 99, [99, 100]),
        (3, 9, [9, 99, 100]),
        (9, None, [9, 20, 99, 100]),
    ],
)
def test_the_newest_and_the_best_are_kept_whatever_the_clock_says(tmp_path, kept, best, left):
    for number in (9, 20, 99, 100):
        path = checkpoint(tmp_path, f"checkpoint-{number}")
        os.utime(path, (4e9 - number, 4e9 - number))  # the later, the older
    delete_old_checkpoints(tmp_path, kept, tmp_path / f"checkpoint-{best}" if best else None)
    assert sorted(int(path.name.rpartition("-")[2]) for path in tmp_path.iterdir()) == left
