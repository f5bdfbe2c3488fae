"""Checkpoints of a run that may have been killed at any moment."""

import json
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
    checkpoints = [
        path for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*") if path.name.rpartition("-")[2].isdecimal()
    ]
    for path in sorted(checkpoints, key=lambda path: -int(path.name.rpartition("-")[2])):
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if all((path / name).exists() for name in generators):
            return path
    return None
