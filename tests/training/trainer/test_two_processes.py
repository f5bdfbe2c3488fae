"""Two processes that share a batch train like one process with the whole batch."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import distributed

from proofmatch.errors import ProofmatchError
from tests.training.conftest import TINY
from tests.training.trainer import kill_points
from tests.training.trainer.running import assert_same_weights, history, run, start_together, weights

BATCH = 24
SETTINGS = ["dropout=0", "max_words=42", "optimizer=asgd", "learning_rate=0.3", "sampling=epochs"]
SETTINGS += ["num_train_epochs=1", "max_steps=4", "eval_epochs=0.5", "save_epochs=0.5"]


def command(release, out, batch, *settings):
    settings = [*TINY, *SETTINGS, f"per_device_train_batch_size={batch}", *settings]
    options = [part for setting in settings for part in ("--set", setting)]
    return ["train", "--data", str(release), "--preset", "quick", "--out", str(out), *options]


@pytest.fixture(scope="module")
def alone(release, tmp_path_factory):
    """One process with the whole batch, by objective."""
    made = {}

    def train(objective):
        if objective not in made:
            folder = tmp_path_factory.mktemp("alone")
            code, said = run(
                folder / "said", *command(release, folder / "model", BATCH, f"objective={objective}")
            )
            assert code == 0, said
            made[objective] = folder / "model"
        return made[objective]

    return train


def together(release, folder, *settings, more=()) -> list[str]:
    """Two processes with half a batch each; what they say."""
    runs = start_together(
        folder / "said", 2, *command(release, folder / "model", BATCH // 2, *settings), *more
    )
    assert [run.end() for run in runs] == [0, 0], [run.output for run in runs]
    return [run.output for run in runs]


@pytest.fixture(scope="module")
def couple(release, tmp_path_factory):
    """A model that two processes have trained, and what they said."""
    folder = tmp_path_factory.mktemp("couple")
    return folder / "model", together(release, folder, "objective=local")


def assert_nearly_same(model: Path, other: Path) -> None:
    ours, theirs = weights(model), weights(other)
    assert ours.keys() == theirs.keys()
    for name in ours:
        assert torch.allclose(ours[name], theirs[name], atol=1e-5, rtol=0), name
    logged, expected = history(model), history(other)
    assert [set(entry) for entry in logged] == [set(entry) for entry in expected]
    for entry, wanted in zip(logged, expected, strict=True):
        assert entry == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize(("objective", "chunk"), [("local", "5"), ("two-sided", "none"), ("global", "5")])
def test_losses_and_weights_equal_those_of_one_process(release, tmp_path, alone, objective, chunk):
    together(release, tmp_path, f"objective={objective}", f"chunk_size={chunk}")
    assert_nearly_same(tmp_path / "model", alone(objective))


def test_only_the_first_process_prints_and_writes(couple, alone):
    model, (first, second) = couple
    assert_nearly_same(model, alone("local"))
    assert second == ""
    assert "validation: MRR" in first
    names = {path.name for path in model.iterdir()}
    assert names == {path.name for path in alone("local").iterdir()}
    assert len(list(model.rglob("events.out.tfevents*"))) == 1
    assert {path.name for path in model.glob("checkpoint-*/rng_state*")} == {
        "rng_state_0.pth",
        "rng_state_1.pth",
    }
    assert json.loads((model / "run.json").read_text())["processes"] == 2


def test_two_processes_killed_and_resumed_equal_an_uninterrupted_run(release, tmp_path):
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    together(release, tmp_path / "whole", "objective=local", "dropout=0.2")
    arguments = command(release, tmp_path / "killed" / "model", BATCH // 2, "objective=local", "dropout=0.2")
    runs = start_together(tmp_path / "said", 2, *arguments, patch=kill_points.before_step(3))
    assert [run.end() for run in runs] == [-signal.SIGKILL, -signal.SIGKILL]
    assert not (tmp_path / "killed" / "model" / "model.safetensors").exists()
    together(release, tmp_path / "killed", "objective=local", "dropout=0.2", more=["--resume"])
    assert_same_weights(tmp_path / "killed" / "model", tmp_path / "whole" / "model")
    assert history(tmp_path / "killed" / "model") == history(tmp_path / "whole" / "model")


def busy_at_the_end() -> None:
    """Let the threads of the group still have a tensor, which they give back to Python, when it is left."""
    leave = distributed.destroy_process_group

    def destroy_process_group():
        distributed.all_reduce(torch.ones(1), async_op=True)
        leave()

    distributed.destroy_process_group = destroy_process_group


def out_of_step() -> None:
    """Let the third step fail, in all processes and right after they have exchanged something."""
    from proofmatch.training import MatchingTrainer

    real = MatchingTrainer.training_step

    def training_step(self, *arguments, **options):
        if self.state.global_step == 2:
            raise ProofmatchError("the third step fails")
        return real(self, *arguments, **options)

    MatchingTrainer.training_step = training_step
    busy_at_the_end()


@pytest.mark.parametrize("patch, code", [(busy_at_the_end, 0), (out_of_step, 2)])
def test_busy_threads_do_not_prevent_the_end(release, tmp_path, patch, code):
    arguments = command(release, tmp_path / "model", BATCH // 2, "objective=local")
    runs = start_together(tmp_path / "said", 2, *arguments, patch=patch)
    assert [run.end() for run in runs] == [code, code], [run.output for run in runs]


def test_one_process_does_not_resume_a_run_of_two(release, tmp_path, couple):
    arguments = command(release, couple[0], BATCH // 2, "objective=local")
    code, said = run(tmp_path / "said", *arguments, "--resume")
    assert code == 2
    assert "(processes was 2 and is 1)" in said


def test_a_folder_with_a_run_is_refused_by_both(release, tmp_path, couple):
    runs = start_together(tmp_path / "said", 2, *command(release, couple[0], BATCH // 2, "objective=local"))
    assert [run.end() for run in runs] == [2, 2]
    assert "has a training run already" in runs[0].output


@pytest.mark.parametrize("preset", ["fast", "joint"])
def test_matchers_with_features_are_trained_by_one_process(release, tmp_path, preset):
    arguments = ["train", "--data", str(release), "--preset", preset, "--out", str(tmp_path / "model")]
    runs = start_together(tmp_path / "said", 2, *arguments)
    assert [run.end() for run in runs] == [2, 2]
    for one in runs:
        assert one.output.count("\n") == 1
        assert "-matcher is trained in one process; leave out torchrun" in one.output
    assert not (tmp_path / "model" / "run.json").exists()


def test_torchrun_starts_it(release, tmp_path, alone):
    program = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    arguments = command(release, tmp_path / "model", BATCH // 2, "objective=local")
    result = subprocess.run(
        [*program, "-m", "proofmatch", *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert_nearly_same(tmp_path / "model", alone("local"))
    assert all(line.startswith("training: ") for line in result.stderr.splitlines()), result.stderr
    assert len(result.stdout.splitlines()) == 2
