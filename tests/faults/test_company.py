"""Two commands in one folder: one does the work, the other says so, and the bytes are the same."""

import signal
import subprocess
import time

import pytest

from tests.builder.engine.killing import start_build, wait_until
from tests.builder.engine.test_determinism import content
from tests.faults.errands import train_command, trained
from tests.faults.stopping import go_on, start_build_that_stops, wait_until_stopped
from tests.training.trainer.kill_points import before_step
from tests.training.trainer.running import run, start


def assert_done_or_refused(build: subprocess.Popen[str]) -> bool:
    """Wait for a build; whether it was refused."""
    _, said = build.communicate()
    if build.returncode == 0:
        return False
    assert build.returncode == 2, said
    assert "another build is writing to" in said
    assert said.count("\n") == 1
    return True


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3])
def test_two_builds_that_start_together_make_one_release(source, expected, tmp_path, delay):
    release = tmp_path / "release"
    first = start_build(source, release)
    time.sleep(delay)
    second = start_build(source, release)
    refused = [assert_done_or_refused(build) for build in (first, second)]
    assert not all(refused)
    assert content(release) == expected
    assert not (release / ".build").exists()


def test_a_build_is_refused_while_another_is_at_work(source, expected, tmp_path):
    release = tmp_path / "release"
    first = start_build(source, release)
    assert wait_until(lambda: any((release / ".build" / "parts").glob("*.arrow")), first)
    first.send_signal(signal.SIGSTOP)
    wait_until_stopped(first.pid)
    assert assert_done_or_refused(start_build(source, release))
    go_on(first.pid)
    assert not assert_done_or_refused(first)
    assert content(release) == expected


def test_a_build_that_comes_when_another_has_nothing_left_but_to_clean_up_leaves_that_to_it(
    source, expected, tmp_path
):
    release = tmp_path / "release"
    first = start_build_that_stops(source, release, before="remove")
    assert not assert_done_or_refused(start_build(source, release))
    assert (release / ".build").exists()
    go_on(first.pid)
    assert not assert_done_or_refused(first)
    assert content(release) == expected
    assert not (release / ".build").exists()


def test_a_build_that_was_overtaken_leaves_the_release_as_it_is(source, expected, tmp_path):
    release = tmp_path / "release"
    overtaken = start_build_that_stops(source, release, before="opened")  # it has seen that nothing is there
    assert not assert_done_or_refused(start_build(source, release))
    before = {path: path.stat().st_mtime_ns for path in release.rglob("*") if path.is_file()}
    go_on(overtaken.pid)
    assert not assert_done_or_refused(overtaken)
    assert {path: path.stat().st_mtime_ns for path in release.rglob("*") if path.is_file()} == before
    assert content(release) == expected


REFUSALS = ("another training is writing to", "has a training run already")


def test_two_trainings_that_start_together_make_one_model(release, undisturbed, tmp_path):
    model = tmp_path / "model"
    both = [start(tmp_path / name, *train_command(release, model)) for name in ("first", "second")]
    winners = [training for training in both if training.end() == 0]
    (loser,) = [training for training in both if training not in winners]
    assert loser.end() == 2
    assert any(refusal in loser.output for refusal in REFUSALS)
    assert loser.output.count("\n") == 1
    assert trained(model) == undisturbed


@pytest.mark.parametrize(("more", "refusal"), [(["--resume"], REFUSALS[0]), ([], REFUSALS[1])])
def test_a_training_is_refused_while_another_is_at_work(release, undisturbed, tmp_path, more, refusal):
    model = tmp_path / "model"
    first = start(tmp_path / "first", *train_command(release, model), patch=before_step(5, signal.SIGSTOP))
    wait_until_stopped(first.process.pid)
    code, said = run(tmp_path / "second", *train_command(release, model, *more))
    go_on(first.process.pid)
    assert (code, said.count("\n")) == (2, 1), said
    assert refusal in said
    assert first.end() == 0
    assert trained(model) == undisturbed
