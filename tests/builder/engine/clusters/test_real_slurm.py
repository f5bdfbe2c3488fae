"""The Slurm engine on a real Slurm, started for these tests: the same bytes, whatever happens to tasks."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.builder.engine.clusters.slurm import processes_of, running_slurm, wait_for, why_not
from tests.builder.engine.test_determinism import content

pytest.importorskip("datatrove", reason="needs the extra `distributed`")
pytestmark = pytest.mark.skipif(why_not() is not None, reason=why_not() or "")


@pytest.fixture(scope="module")
def slurm() -> Iterator[dict[str, str]]:
    with ExitStack() as until_the_end:
        try:
            environment = until_the_end.enter_context(running_slurm())
        except AssertionError as error:  # with its log
            pytest.skip(f"Slurm does not start here: {str(error).strip().rpartition(chr(10))[2]}")
        yield environment
    assert not processes_of(Path(environment["SLURM_CONF"]))


class Build:
    """The commands of a user who builds on Slurm."""

    def __init__(self, source: Path, release: Path, environment: dict[str, str]) -> None:
        self.source, self.release, self.environment = source, release, environment

    def run(self, *words: str, code: int = 0) -> str:
        command = [sys.executable, "-m", "proofmatch", "build", "--out", str(self.release), *words]
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        said = result.stdout + result.stderr
        assert result.returncode == code, said
        return said

    def submit(self, *words: str, memory: str = "1") -> str:
        options = ("--engine", "slurm", "--partition", "short", "--mem-per-cpu", memory)
        return self.run(str(self.source), *options, *words)

    @property
    def job(self) -> str:
        return (self.release / ".build" / "slurm-job").read_text().strip()

    def do(self, *command: str) -> str:
        return subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout

    def is_at_work(self) -> bool:
        return bool(self.do("squeue", "--noheader", "--jobs", self.job))

    def wait(self, is_enough: Callable[[], bool] = lambda: False) -> None:
        wait_for(
            lambda: is_enough() or not self.is_at_work(),
            Path(self.environment["SLURM_CONF"]).with_name("log"),
        )

    def has_parts(self) -> bool:
        return any((self.release / ".build" / "parts").glob("*.arrow"))


@pytest.fixture
def build(source, tmp_path, slurm) -> Build:
    return Build(source, tmp_path / "release", slurm)


def test_a_job_makes_the_parts_and_the_same_command_the_release(build, expected):
    held = ("--sbatch", "begin=now+3600")
    assert "is submitted" in build.submit("--tasks", "2", *held)
    assert ", 2 pending" in build.run("--status", code=1)
    build.do("scontrol", "update", f"jobid={build.job}", "starttime=now")
    build.wait()
    assert "run the same command again to make the release" in build.run("--status", code=1)
    assert "is complete" in build.submit()
    assert content(build.release) == expected


def test_what_a_cancelled_job_has_left_is_made_by_the_next(build, expected):
    # One task at a time, so that the second has not begun when the first is at work.
    build.submit("--tasks", "2", "--workers", "1")
    build.wait(build.has_parts)
    build.do("scancel", build.job)
    build.wait()
    assert build.has_parts()
    assert "interrupted; run the same command again to continue" in build.run("--status", code=1)
    assert "is submitted" in build.submit("--tasks", "1")
    build.wait()
    assert "is complete" in build.submit()
    assert content(build.release) == expected


def test_a_job_without_the_installation_says_what_to_check(build):
    build.submit("--tasks", "2", "--env-command", "PATH=/usr/bin:/bin")
    build.wait()
    remedy = "launch_pickled_pipeline: No such file or directory; check --venv or --env-command"
    assert remedy in build.run("--status", code=1)
    again = build.submit("--sbatch", "begin=now+3600")
    assert f"{remedy} (and 1 more like this)" in again
    assert "is submitted" in again


def test_more_memory_than_any_machine_has_is_refused_in_slurms_words(build):
    command = (str(build.source), "--engine", "slurm", "--partition", "short", "--mem-per-cpu", "5000")
    said = build.run(*command, code=2)
    assert "sbatch refused the job (Memory specification can not be satisfied" in said
    assert "check --partition, --tasks, --time, --cpus-per-task, --mem-per-cpu" in said
