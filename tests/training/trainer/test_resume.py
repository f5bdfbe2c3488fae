"""Whenever a training is killed: resumed, it ends as if it had never been interrupted."""

import pickle
import shutil
import signal

import pytest

from tests.training.conftest import TINY, TINY_FAST, TINY_JOINT
from tests.training.evil import Evil
from tests.training.trainer import kill_points
from tests.training.trainer.running import assert_same_weights, history, run

# Five steps an epoch, checkpoints after 2, 4, 5, 6, 8, 10, … steps, evaluations after 5, 10 and 13, and what
# is logged else after 3, 6, 9 and 12.
SETTINGS = ["per_device_train_batch_size=30", "num_train_epochs=2.5", "save_epochs=0.4", "log_epochs=0.6"]
OPTIMIZERS = {
    "adamw": ["optimizer=adamw", "learning_rate=0.01"],
    "asgd": ["optimizer=asgd", "learning_rate=0.5", "learning_rate_decay=0.9", "objective=hybrid"],
}
SIZES = {"quick": [*TINY, "max_words=42"], "fast": TINY_FAST, "joint": TINY_JOINT}
ALL = [
    ("quick", "adamw", "epochs"),
    ("quick", "asgd", "independent"),
    ("fast", "adamw", "epochs"),
    ("joint", "adamw", "epochs"),
]
ONE, BEST = ALL[0], ALL[-1]


def command(release, out, way=ONE, *more):
    preset, optimizer, sampling = way
    settings = [*SIZES[preset], *SETTINGS, *OPTIMIZERS[optimizer], f"sampling={sampling}"]
    options = [part for setting in settings for part in ("--set", setting)]
    return ["train", "--data", str(release), "--preset", preset, "--out", str(out), *options, *more]


@pytest.fixture(scope="module")
def whole(release, tmp_path_factory):
    """Runs that nobody has interrupted, by preset, optimizer and sampling."""
    made = {}

    def train(way):
        if way not in made:
            folder = tmp_path_factory.mktemp("whole")
            code, said = run(folder / "said", *command(release, folder / "model", way))
            assert code == 0, said
            made[way] = folder / "model"
        return made[way]

    return train


def die(release, folder, patch, *more, way=ONE):
    code, said = run(folder / "said", *command(release, folder / "model", way, *more), patch=patch)
    assert code == -signal.SIGKILL, said


def finish(release, folder, way=ONE):
    code, said = run(folder / "said", *command(release, folder / "model", way, "--resume"))
    assert code == 0, said
    return said


def test_the_loss_is_logged_with_every_checkpoint_and_there_is_one_with_every_evaluation(whole):
    logged = history(whole(ONE))
    assert [entry["step"] for entry in logged if "loss" in entry] == [2, 3, 4, 5, 6, 8, 9, 10, 12, 13]
    assert [entry["step"] for entry in logged if "eval_mrr" in entry] == [5, 10, 13]


@pytest.mark.parametrize("way", ALL, ids="-".join)
def test_a_run_killed_several_times_equals_an_uninterrupted_one(release, tmp_path, whole, way):
    model = tmp_path / "model"
    die(release, tmp_path, kill_points.before_step(2), way=way)
    assert (model / "checkpoint-2" / "trainer_state.json").exists()
    die(release, tmp_path, kill_points.while_saving_the_checkpoint(8), "--resume", way=way)
    assert not (model / "checkpoint-8" / "trainer_state.json").exists()
    die(release, tmp_path, kill_points.before_step(11), "--resume", way=way)
    finish(release, tmp_path, way)
    assert history(model) == history(whole(way))
    assert_same_weights(model, whole(way))


@pytest.mark.parametrize(
    "patch",
    [
        kill_points.before_step(1),
        kill_points.before_step(5),
        kill_points.while_saving_weights(6),
        kill_points.while_saving_the_state(13),
        kill_points.while_saving_the_model(),
        kill_points.before_the_card(),
    ],
    ids=[
        "before the first checkpoint",
        "between two epochs",
        "in the weights of a checkpoint",
        "in the state of the last checkpoint",
        "in the model",
        "before the end",
    ],
)
def test_a_run_killed_at_any_moment_equals_an_uninterrupted_one(release, tmp_path, whole, patch):
    die(release, tmp_path, patch)
    finish(release, tmp_path)
    model = tmp_path / "model"
    assert history(model) == history(whole(ONE))
    assert_same_weights(model, whole(ONE))
    assert {path.name for path in model.iterdir()} == {path.name for path in whole(ONE).iterdir()}
    assert not list(model.rglob("*.unfinished"))


@pytest.mark.parametrize(
    "patch",
    [kill_points.while_saving_weights(6), kill_points.while_saving_the_model()],
    ids=["in a checkpoint", "at the end"],
)
def test_a_joint_matcher_killed_while_it_is_saved_can_be_resumed(release, tmp_path, whole, patch):
    die(release, tmp_path, patch, way=BEST)
    finish(release, tmp_path, BEST)
    assert history(tmp_path / "model") == history(whole(BEST))
    assert_same_weights(tmp_path / "model", whole(BEST))


def test_the_folder_may_be_moved_in_between(release, tmp_path, whole):
    die(release, tmp_path, kill_points.while_saving_the_model())
    shutil.move(tmp_path / "model", tmp_path / "elsewhere" / "model")
    finish(release, tmp_path / "elsewhere")
    assert_same_weights(tmp_path / "elsewhere" / "model", whole(ONE))


def test_a_missing_best_checkpoint_is_an_error(release, tmp_path):
    die(release, tmp_path, kill_points.before_step(12))
    (best,) = [path for path in (tmp_path / "model").glob("checkpoint-*") if path.name != "checkpoint-12"]
    shutil.rmtree(best)
    code, said = run(tmp_path / "said", *command(release, tmp_path / "model", ONE, "--resume"))
    assert code == 2
    assert f"{best} had the best weights and is missing" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--resume", "--set", "dropout=0.2"], "(model.dropout was 0.1 and is 0.2)"),
        (["--resume", "--input", "math"], "(input was both and is math)"),
        (["--resume", "--by-article"], "(config was pairs and is pairs_by_article)"),
        (["--resume", "--set", "chunk_size=2"], "(training.chunk_size was None and is 2)"),
        ([], "has a training run already; continue with --resume"),
    ],
)
def test_a_run_with_other_settings_is_refused(release, tmp_path, whole, more, told):
    before = {path: path.read_bytes() for path in whole(ONE).rglob("*") if path.is_file()}
    code, said = run(tmp_path / "said", *command(release, whole(ONE), ONE, *more))
    assert code == 2
    assert told in said
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in whole(ONE).rglob("*") if path.is_file()} == before


def test_a_finished_run_is_not_changed(release, whole):
    before = {path: path.read_bytes() for path in whole(ONE).rglob("*") if path.is_file()}
    said = finish(release, whole(ONE).parent)
    assert f"{whole(ONE)} was finished before" in said
    assert {path: path.read_bytes() for path in whole(ONE).rglob("*") if path.is_file()} == before


def test_there_must_be_something_to_resume(release, tmp_path):
    code, said = run(tmp_path / "said", *command(release, tmp_path / "model", ONE, "--resume"))
    assert code == 2
    assert "has no training run to resume; leave out --resume" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", ["model.safetensors", "README.md"])
def test_a_folder_with_other_files_is_refused(release, tmp_path, name):
    (tmp_path / name).write_text("mine")
    code, said = run(tmp_path / "said", *command(release, tmp_path))
    assert code == 2
    assert "give another --out" in said
    assert {path.name: path.read_text() for path in tmp_path.iterdir() if path.name != "said"} == {
        name: "mine"
    }


def test_ctrl_c_ends_with_one_line_and_the_run_can_be_resumed(release, tmp_path, whole):
    model = tmp_path / "model"
    patch = kill_points.before_step(3, signal.SIGINT)
    code, said = run(tmp_path / "said", *command(release, model), patch=patch)
    assert code == 130
    assert said.splitlines() == [
        "training: 151 pairs in batches of 30, 13 steps",
        "proofmatch train: interrupted; continue with --resume",
    ]
    finish(release, tmp_path)
    assert history(model) == history(whole(ONE))
    assert_same_weights(model, whole(ONE))


@pytest.fixture(scope="module")
def interrupted(release, tmp_path_factory):
    """A run that was killed before its sixth step."""
    folder = tmp_path_factory.mktemp("interrupted")
    die(release, folder, kill_points.before_step(5))
    return folder / "model"


@pytest.mark.parametrize("name", ["optimizer.pt", "scheduler.pt", "rng_state.pth"])
def test_a_malicious_pickle_in_a_checkpoint_is_refused(release, tmp_path, interrupted, name):
    shutil.copytree(interrupted, tmp_path / "model")
    mark, planted = tmp_path / "it-was-run", list((tmp_path / "model").glob(f"checkpoint-*/{name}"))
    assert planted
    for path in planted:
        path.write_bytes(pickle.dumps(Evil(mark)))
    code, said = run(tmp_path / "said", *command(release, tmp_path / "model", ONE, "--resume"))
    assert not mark.exists()
    assert code == 2, said
    assert "Traceback" not in said
    assert "remove it to resume from the previous one" in said
