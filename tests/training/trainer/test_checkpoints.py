"""The checkpoint to go on from is the newest that is complete, and old ones are deleted by their numbers."""

import os

import pytest

from proofmatch.training.model_folder import delete_old_checkpoints, last_checkpoint


def checkpoint(folder, name, state='{"global_step": 1}', generators=("rng_state.pth",)):
    path = folder / name
    path.mkdir()
    for generator in generators:
        (path / generator).touch()
    if state is not None:
        (path / "trainer_state.json").write_text(state)
    return path


def test_steps_count_and_not_names_or_times(tmp_path):
    newest = checkpoint(tmp_path, "checkpoint-100")
    checkpoint(tmp_path, "checkpoint-99")
    checkpoint(tmp_path, "checkpoint-best")
    assert last_checkpoint(tmp_path) == newest


@pytest.mark.parametrize("state", [None, "", '{"global_step": ', "\0\0\0"])
def test_what_was_not_finished_is_passed_over(tmp_path, state):
    checkpoint(tmp_path, "checkpoint-20", state)
    assert last_checkpoint(tmp_path) is None
    whole = checkpoint(tmp_path, "checkpoint-10")
    assert last_checkpoint(tmp_path) == whole


def test_every_process_must_have_finished(tmp_path):
    whole = checkpoint(tmp_path, "checkpoint-10", generators=["rng_state_0.pth", "rng_state_1.pth"])
    checkpoint(tmp_path, "checkpoint-20", generators=["rng_state_0.pth"])
    assert last_checkpoint(tmp_path, processes=2) == whole
    assert last_checkpoint(tmp_path, processes=3) is None


def test_there_may_be_none(tmp_path):
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
