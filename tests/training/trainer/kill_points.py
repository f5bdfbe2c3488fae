"""Points of a training at which its process gets a signal, usually SIGKILL."""

import os
import signal
from functools import partial
from pathlib import Path


def _kill(by: signal.Signals = signal.SIGKILL) -> None:
    os.kill(os.getpid(), by)


def before_step(number: int, by: signal.Signals = signal.SIGKILL) -> partial:
    """After `number` steps, before the gradients of the next one."""
    return partial(_before_step, number, by)


def _before_step(number: int, by: signal.Signals) -> None:
    from proofmatch.training import MatchingTrainer

    real = MatchingTrainer.training_step

    def training_step(self, *arguments, **options):
        if self.state.global_step == number:
            _kill(by)
        return real(self, *arguments, **options)

    MatchingTrainer.training_step = training_step


def while_saving_weights(number: int) -> partial:
    """When the files of a checkpoint have been written, but not given their names."""
    return partial(_while_saving_weights, f"checkpoint-{number}")


def while_saving_the_model() -> partial:
    """The same for the model at the end."""
    return partial(_while_saving_weights, None)


def _while_saving_weights(checkpoint: str | None) -> None:
    from proofmatch.training import MatchingTrainer
    from proofmatch.training.matcher import Matcher

    real = Matcher.save_pretrained
    folder = []

    def save_pretrained(self, path, **options):
        real(self, path, **options)
        if folder[-1].name == checkpoint or (checkpoint is None and "checkpoint" not in folder[-1].name):
            _kill()

    def save(self, output_dir=None, state_dict=None):
        folder.append(Path(output_dir))
        real_save(self, output_dir, state_dict)

    real_save = MatchingTrainer._save
    MatchingTrainer._save = save
    Matcher.save_pretrained = save_pretrained


def while_saving_the_checkpoint(number: int) -> partial:
    """When a checkpoint has its weights, and nothing that tells where the training was."""
    return partial(_while_saving_the_checkpoint, number)


def _while_saving_the_checkpoint(number: int) -> None:
    from proofmatch.training import MatchingTrainer

    real = MatchingTrainer._save_rng_state

    def save_rng_state(self, folder):
        if self.state.global_step == number:
            _kill()
        real(self, folder)

    MatchingTrainer._save_rng_state = save_rng_state


def while_saving_the_state(number: int) -> partial:
    """In the middle of the last file of a checkpoint."""
    return partial(_while_saving_the_state, number)


def _while_saving_the_state(number: int) -> None:
    from transformers import TrainerState

    real = TrainerState.save_to_json

    def save_to_json(self, path):
        real(self, path)
        if self.global_step == number:
            text = Path(path).read_text()
            Path(path).write_text(text[: len(text) // 2])
            _kill()

    TrainerState.save_to_json = save_to_json


def before_the_card() -> partial:
    """When all is written but the model's card."""
    return partial(_before_the_card)


def _before_the_card() -> None:
    from proofmatch.training import run

    run.render_model_card = lambda _: _kill()
