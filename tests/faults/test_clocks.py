"""A clock that is set forward and back affects neither what counts as done nor what counts as changed.

A build uses clocks only to compare the modification times of files with those it has seen before.
"""

import os
import runpy
import subprocess
from functools import partial
from pathlib import Path

import pytest

from proofmatch.builder import build_release
from tests.builder.engine.killing import copy_many_times, kill, start_build, wait_until
from tests.builder.engine.test_determinism import content
from tests.faults.errands import train_command, trained
from tests.faults.stopping import go_on, start_build_that_stops
from tests.training.trainer.kill_points import before_step
from tests.training.trainer.running import run

CLOCK = Path(__file__).with_name("clock")
PAST, FUTURE = 0, 4_000_000_000  # 1970 and 2096, in seconds


def start_with_jumping_clock(source: Path, release: Path) -> subprocess.Popen[str]:
    return start_build(source, release, environment={"PYTHONPATH": str(CLOCK)})


def kill_after_the_first_part(source: Path, release: Path) -> list[Path]:
    """Kill a build; its parts."""
    build = start_with_jumping_clock(source, release)
    parts = release / ".build" / "parts"
    assert wait_until(lambda: any(parts.glob("*.arrow")), build)
    kill(build.pid)
    build.communicate()
    return sorted(parts.glob("*.arrow"))


def test_a_build_under_a_jumping_clock_has_the_same_bytes(source, expected, tmp_path):
    build = start_with_jumping_clock(source, tmp_path / "release")
    _, said = build.communicate()
    assert build.returncode == 0, said
    assert content(tmp_path / "release") == expected


@pytest.mark.parametrize("time", [PAST, FUTURE], ids=["past", "future"])
def test_finished_work_is_kept_whatever_its_times_say(source, expected, tmp_path, time):
    release = tmp_path / "release"
    parts = kill_after_the_first_part(source, release)
    for path in (release / ".build").rglob("*"):
        os.utime(path, (time, time))
    again = start_build_that_stops(source, release, before="remove")
    assert {path.stat().st_mtime for path in parts} == {time}  # they were not made again
    go_on(again.pid)
    _, said = again.communicate()
    assert again.returncode == 0, said
    assert content(release) == expected


@pytest.mark.parametrize("time", [PAST, FUTURE], ids=["past", "future"])
def test_a_document_that_changed_while_the_clock_was_wrong_is_read_again(articles, tmp_path, time):
    source, release = copy_many_times(articles, tmp_path / "articles", 3), tmp_path / "release"
    kill_after_the_first_part(source, release)
    first, other = sorted(source.iterdir())[:2]
    first.write_bytes(other.read_bytes())
    os.utime(first, (time, time))  # older or newer than what was made of the old one
    again = start_with_jumping_clock(source, release)
    _, said = again.communicate()
    assert again.returncode == 0, said
    assert content(release) == content(build_release(source, tmp_path / "whole", workers=2))


def let_the_clock_jump_and_die_before_step(number: int) -> None:
    runpy.run_path(str(CLOCK / "sitecustomize.py"))
    before_step(number)()


def test_a_training_goes_on_from_its_last_checkpoint_not_from_the_newest_files(
    release, undisturbed, tmp_path
):
    model = tmp_path / "model"
    patch = partial(let_the_clock_jump_and_die_before_step, 9)
    run(tmp_path / "said", *train_command(release, model), patch=patch)
    checkpoints = sorted(model.glob("checkpoint-*"))
    assert len(checkpoints) > 1
    for checkpoint in checkpoints:
        time = FUTURE - int(checkpoint.name.rpartition("-")[2])  # the later, the older
        for path in (*checkpoint.rglob("*"), checkpoint):
            os.utime(path, (time, time))
    code, said = run(tmp_path / "said", *train_command(release, model, "--resume"))
    assert code == 0, said
    assert trained(model) == undisturbed
