"""Kills and Ctrl-C at any moment: nothing is lost or duplicated, and no process is left behind."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from tests.builder.engine.killing import copy_many_times, kill, start_build, wait_until, workers_of
from tests.builder.engine.test_determinism import content

COPIES = 8


@pytest.fixture(scope="module")
def source(articles, tmp_path_factory) -> Path:
    return copy_many_times(articles, tmp_path_factory.mktemp("kill") / "articles", COPIES)


@pytest.fixture(scope="module")
def expected(source, tmp_path_factory) -> dict[str, str]:
    return content(build_release(source, tmp_path_factory.mktemp("whole") / "release", workers=2))


def stages(release: Path):
    """Moments that can be seen from outside; None is a moment chosen at random."""
    return {
        "start": lambda: (release / ".build").exists(),
        "first part": lambda: any((release / ".build" / "parts").glob("*.arrow")),
        "tables": lambda: any((release / ".build" / "release").rglob("*.parquet")),
        "publishing": lambda: (release / "data").exists() or (release / "stats.json").exists(),
        "random": None,
    }


@pytest.mark.parametrize("trial", range(5))  # every stage once; `make faults` kills more often
def test_a_killed_driver_loses_and_doubles_nothing(source, expected, tmp_path, trial):
    chance = random.Random(trial)  # noqa: S311 - not for cryptography
    release = tmp_path / "release"
    stage = list(stages(release))[trial % 5]
    build = start_build(source, release, workers=1 + trial % 3)
    reached = stages(release)[stage]
    if reached is None:
        time.sleep(chance.uniform(0.1, 2.5))
    else:
        wait_until(reached, build)
        time.sleep(chance.uniform(0, 0.1))
    orphans = workers_of(build)
    kill(build.pid)
    build.wait()
    _, alive = psutil.wait_procs(orphans, timeout=10)
    assert not alive
    rerun = start_build(source, release)
    _, messages = rerun.communicate()
    assert rerun.returncode == 0, messages
    assert content(release) == expected
    assert not (release / ".build").exists()


@pytest.mark.parametrize("stage", ["first part", "tables"])
def test_a_killed_worker_is_replaced_and_its_work_done_again(source, expected, tmp_path, stage):
    release = tmp_path / "release"
    build = start_build(source, release)
    assert wait_until(stages(release)[stage], build)
    victims = workers_of(build)
    assert victims
    kill(victims[0].pid)
    _, messages = build.communicate()
    assert build.returncode == 0, messages
    assert content(release) == expected
    assert "crashed" not in pq.read_table(release / "discarded.parquet")["reason"].to_pylist()


def test_finished_parts_are_not_made_again(source, expected, tmp_path):
    release = tmp_path / "release"
    build = start_build(source, release, workers=1)
    parts = release / ".build" / "parts"
    assert wait_until(lambda: len(list(parts.glob("*.arrow"))) >= 2, build)
    kill(build.pid)
    build.wait()
    before = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.arrow")}
    rerun = start_build(source, release, workers=1)
    assert wait_until(lambda: len(list(parts.glob("*.arrow"))) > len(before), rerun)
    after = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.arrow")}
    rerun.communicate()
    assert {name: after[name] for name in before} == before
    assert content(release) == expected


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_a_build_at_once_and_the_next_one_goes_on(articles, tmp_path, times):
    source = copy_many_times(articles, tmp_path / "articles", 4)
    release = tmp_path / "release"
    build = start_build(source, release, workers=2)
    assert wait_until(lambda: any((release / ".build" / "parts").glob("*.arrow")), build)
    children = workers_of(build)
    for _ in range(times):
        for process in (build.pid, *(child.pid for child in children)):
            with contextlib.suppress(ProcessLookupError):  # gone already after the first
                os.kill(process, signal.SIGINT)
        time.sleep(0.02)
    _, messages = build.communicate(timeout=60)
    assert build.returncode == 130
    assert "interrupted" in messages
    assert "Traceback" not in messages
    assert not any(child.is_running() for child in children)
    again = start_build(source, release)
    again.communicate()
    assert again.returncode == 0


def test_a_script_without_a_main_guard_is_told_so_instead_of_hanging(articles, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import threading\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()  # so that nothing can fork\n"
        "from proofmatch.builder import build_release\n"
        f"build_release({str(articles)!r}, {str(tmp_path / 'release')!r}, workers=1)\n"
    )
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode != 0
    assert "__name__" in result.stderr
