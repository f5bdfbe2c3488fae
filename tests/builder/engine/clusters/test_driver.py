"""The driver trusts parts, not programs: small programs stand in for engines that lie, hang or fail."""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import proofmatch
from proofmatch.builder.engine.clusters import driver
from proofmatch.builder.engine.clusters.driver import LAUNCHER, fresh_launch_folder, run_on_ray
from proofmatch.builder.engine.clusters.plan import Plan, make_plan
from proofmatch.builder.engine.clusters.rank import write_failure
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.builder.pair_parts import is_complete
from proofmatch.builder.settings import BuildSettings, Cluster
from proofmatch.errors import ProofmatchError
from tests.builder.engine.killing import copy_many_times


@pytest.fixture
def plan(articles, tmp_path):
    run = RunFolder(tmp_path / "release", is_complete)
    source = copy_many_times(articles, tmp_path / "articles", 4)
    with run.opened({}):
        yield make_plan(run, [str(source)], BuildSettings(), {})


@pytest.fixture
def engine(monkeypatch):
    """Programs to be started in the place of the engine, one after the other."""
    commands = []

    @contextmanager
    def started(plan: Plan, _cluster: Cluster):
        fresh_launch_folder(plan)
        with subprocess.Popen(commands.pop(0)) as program:
            yield program
            program.kill()

    monkeypatch.setattr(driver, "_started", started)
    return commands


def rank(plan: Plan, number: int, world: int) -> list[str]:
    words = [
        plan.run.output,
        plan.configuration,
        proofmatch.__version__,
        number,
        world,
        1,
        os.getpid(),
        0,
    ]
    return [sys.executable, "-m", "proofmatch.builder.engine.clusters.rank", *map(str, words)]


def test_an_engine_that_does_all_is_believed_for_its_parts(plan, engine):
    engine.append(rank(plan, 0, 1))
    run_on_ray(plan, Cluster())
    assert plan.missing() == []


def test_an_engine_that_did_half_of_it_and_says_all_is_well_is_not_believed(plan, engine):
    engine.append(rank(plan, 0, 2))
    with pytest.raises(
        ProofmatchError, match=r"parts are missing \(part-000001-.*run the same command again"
    ):
        run_on_ray(plan, Cluster())


def test_a_damaged_part_is_missing(plan, engine):
    engine.append(rank(plan, 0, 1))
    run_on_ray(plan, Cluster())
    part: Path = plan.run.parts / plan.batches[0].part_name
    part.write_bytes(part.read_bytes()[:-20])
    assert plan.missing() == [plan.batches[0]]
    engine.append(rank(plan, 0, 1))
    run_on_ray(plan, Cluster())
    part.with_suffix(".discarded").unlink()
    assert plan.missing() == [plan.batches[0]]


def test_an_engine_that_hangs_is_restarted(plan, engine, capsys):
    engine += [["sleep", "600"], rank(plan, 0, 1)]
    run_on_ray(plan, Cluster(), patience=5)
    assert engine == []
    assert "restarting the tasks" in capsys.readouterr().err


def test_an_engine_that_hangs_when_all_is_done_is_not_waited_for(plan, engine, monkeypatch):
    monkeypatch.setattr(driver, "_SECONDS_TO_END", 0.1)
    command = " ".join(rank(plan, 0, 1))
    engine.append(["bash", "-c", f"{command.replace(str(os.getpid()), '$$')}; sleep 600"])
    run_on_ray(plan, Cluster())


def test_an_engine_that_is_killed_is_said_to_have_been(plan, engine):
    engine.append(["bash", "-c", "kill -9 $$"])
    with pytest.raises(ProofmatchError, match=r"was killed \(SIGKILL\); run the same command again"):
        run_on_ray(plan, Cluster())


def test_an_engine_that_ends_without_a_word_is_said_to_have_lost_its_cluster(plan, engine):
    engine.append(["false"])
    words = r"as it does when the Ray cluster ends \(see .*driver\.log\); run the same command again"
    with pytest.raises(ProofmatchError, match=words):
        run_on_ray(plan, Cluster())


def test_what_an_engine_says_is_the_error(plan, engine, monkeypatch):
    engine.append(["true"])
    monkeypatch.setattr(driver, "_watch", lambda *_: write_failure(plan.run, LAUNCHER, "no room") or True)
    with pytest.raises(ProofmatchError, match=r"^no room$"):
        run_on_ray(plan, Cluster())
