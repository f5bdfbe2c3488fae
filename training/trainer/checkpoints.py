"""Checkpoints of a run that may have been killed at any moment."""

import json
import shutil
from pathlib import Path

from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR


def last_checkpoint(folder: Path, processes: int = 1) -> Path | None:
    """Find the newest complete checkpoint.

    The state is what the first process writes last, and the others write but their random generators. So a
    checkpoint is complete that has these, and a state that can be read.

    Args:
        folder: Of the run.
        processes: How many have trained together.
    """
    generators = (
        [f"rng_state_{rank}.pth" for rank in range(processes)] if processes > 1 else ["rng_state.pth"]
    )
    for path in reversed(_checkpoints(folder)):
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if all((path / name).exists() for name in generators):
            return path
    return None


def delete_old_checkpoints(folder: Path, kept: int, best: Path | None) -> None:
    """Delete all but the newest checkpoints and the best one.

    Their numbers tell which are new. The library goes by the times of their folders, and would delete the
    newest after the clock was set back.

    Args:
        folder: Of the run.
        kept: How many to keep; the last one and the best one in any case.
        best: The checkpoint with the best weights so far.
    """
    checkpoints = _checkpoints(folder)
    spare = [path for path in checkpoints[:-1] if path != best]
    for path in spare[: max(0, len(checkpoints) - kept)]:
        shutil.rmtree(path, ignore_errors=True)


def _checkpoints(folder: Path) -> list[Path]:
    """List the checkpoints of a run in the order of their steps."""
    numbers = {path: path.name.rpartition("-")[2] for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*")}
    return sorted(
        (path for path, number in numbers.items() if number.isdecimal()), key=lambda path: int(numbers[path])
    )
