"""CPUs and threads: commands respect affinity and quota, and let threads sleep while they wait."""

import os
import subprocess
import sys

import pytest

from proofmatch import processors
from proofmatch.processors import available_processors, configure_threads

VARIABLES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "OMP_NUM_THREADS")

# Runs a command that knows no torch, then imports it: what it finds is what a training would have.
AFTER_A_COMMAND = """
import os, sys
from proofmatch.cli import main
main(["stats", "nowhere"])
assert "torch" not in sys.modules
import torch
print(os.environ.get("OMP_WAIT_POLICY"), torch.get_num_threads())
"""


@pytest.fixture
def environment(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def quota(environment, tmp_path):
    def write(text: str) -> None:
        path = tmp_path / "cpu.max"
        path.write_text(text)
        environment.setattr(processors, "_QUOTA_VERSION_2", path)

    return write


def run_after_a_command(processor: int | None = None, **variables: str) -> list[str]:
    clean = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", AFTER_A_COMMAND],
        env={**clean, **variables},
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=None if processor is None else lambda: os.sched_setaffinity(0, {processor}),
    )
    return done.stdout.split()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs processor affinity")
def test_threads_of_a_command_sleep_while_they_wait_and_follow_its_affinity():
    pytest.importorskip("torch")
    allowed = os.sched_getaffinity(0)
    assert run_after_a_command() == ["PASSIVE", str(available_processors())]
    assert run_after_a_command(processor=min(allowed)) == ["PASSIVE", "1"]


def test_what_the_user_has_set_is_left_as_it_is():
    pytest.importorskip("torch")
    assert run_after_a_command(OMP_WAIT_POLICY="ACTIVE", OMP_NUM_THREADS="1") == ["ACTIVE", "1"]


@pytest.mark.parametrize("name", ["OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"])
def test_any_of_the_variables_for_waiting_is_the_users_choice(environment, name):
    environment.setenv(name, "1000")
    configure_threads()
    assert {other: os.environ.get(other) for other in VARIABLES[:3]} == {
        other: "1000" if other == name else None for other in VARIABLES[:3]
    }


def test_importing_the_library_changes_no_variable():
    script = (
        "import os, proofmatch, proofmatch.cli, proofmatch.training; print(os.environ.get('OMP_WAIT_POLICY'))"
    )
    clean = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    done = subprocess.run(
        [sys.executable, "-c", script], env=clean, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["None"]


def test_a_containers_quota_limits_processors_and_threads(quota):
    quota("100000 100000\n")
    assert available_processors() == 1
    configure_threads()
    assert os.environ["OMP_NUM_THREADS"] == "1"


@pytest.mark.parametrize("text", ["10000 100000\n", "max 100000\n", "", "100000 0\n", "many 1\n"])
def test_there_is_always_a_processor(quota, text):
    quota(text)
    assert 1 <= available_processors() <= (os.cpu_count() or 1)


def test_without_a_quota_libraries_count_processors_themselves(quota):
    quota("max 100000\n")
    configure_threads()
    assert "OMP_NUM_THREADS" not in os.environ
