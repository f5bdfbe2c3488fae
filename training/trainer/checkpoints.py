"""Checkpoints of a run that may have been killed at any moment."""

import json
from pathlib import Path

from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR


def last_checkpoint(folder: Path) -> Path | None:
    """Find the newest complete checkpoint.

    The state is what the library writes last, so a checkpoint whose state can be read is complete.
    """
    checkpoints = [
        path for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*") if path.name.rpartition("-")[2].isdecimal()
    ]
    for path in sorted(checkpoints, key=lambda path: -int(path.name.rpartition("-")[2])):
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        return path
    return None
