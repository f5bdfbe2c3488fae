"""One training at a time in a folder, and one sentence when its disk refuses."""

import errno
import subprocess
import sys
import threading

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.training.model_folder import exclusive_use, readable_disk_errors

HOLDER = """
import sys
from pathlib import Path
from proofmatch.training.model_folder import exclusive_use

with exclusive_use(Path(sys.argv[1])):
    print("alone", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("is_killed", [False, True], ids=["ends", "is killed"])
def test_nobody_else_is_let_in_until_the_first_one_ends_or_is_killed(tmp_path, is_killed):
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


def test_an_error_inside_lets_the_next_one_in(tmp_path):
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
def test_what_the_disk_refuses_is_one_sentence_with_the_remedy(tmp_path, error, reason):
    with pytest.raises(ProofmatchError) as caught, readable_disk_errors(tmp_path):
        raise error
    assert f"the training in {tmp_path} cannot continue ({reason}" in str(caught.value)
    assert str(caught.value).endswith("continue with --resume")
    assert "\n" not in str(caught.value)


def test_what_is_no_fault_of_the_disk_is_left_as_it_is(tmp_path):
    with pytest.raises(RuntimeError, match="shapes"), readable_disk_errors(tmp_path):
        raise RuntimeError("shapes do not fit")


def test_only_a_thread_that_fails_with_the_disk_is_passed_over_and_only_meanwhile(tmp_path, monkeypatch):
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
