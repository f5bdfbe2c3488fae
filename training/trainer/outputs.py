"""What a finished run leaves in its folder."""

from pathlib import Path
from typing import Any

from .trainer import MatchingTrainer


def write_outputs(trainer: MatchingTrainer, run: dict[str, Any], out: Path) -> None:
    """Write the model last: a folder with a model is finished."""
    _ = run
    trainer.save_model(str(out))
