"""The output folder of a training: `run.json`, checkpoints, a lock, and readable disk errors."""

import errno
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.storage import atomic_file, disk_reason, exclusive_folder

RUN = "run.json"
MODEL = "model.safetensors"
CARD = "README.md"

_TORCH_WRITES = ("PytorchStreamWriter", "inline_container", "iostream")  # in error messages of torch.save
_NEARLY_FULL = 1 << 20  # free bytes


def check_folder(out: Path, run: dict[str, Any], resume: bool) -> None:
    """Refuse to mix two runs in a folder.

    Args:
        out: The folder.
        run: Content of `run.json` for the run that is about to start.
        resume: Whether it is to continue an earlier run.

    Raises:
        ProofmatchError: If `out` has a run already, or for `resume` none, or one with other settings.
    """
    path = out / RUN
    if not os.path.exists(path):  # noqa: PTH110 - false, not an error, if the folder is not readable
        if resume:
            raise ProofmatchError(f"{out} has no training run to resume; leave out --resume")
        if (out / MODEL).exists():
            raise ProofmatchError(f"{out} has a model that was not trained here; give another --out")
        if is_finished(out):
            raise ProofmatchError(
                f"{out} has a README.md, which the model's would replace; give another --out"
            )
        return
    if not resume:
        raise ProofmatchError(
            f"{out} has a training run already; continue with --resume, or give another --out"
        )
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ProofmatchError(f"{path} cannot be read; give another --out") from None
    now = json.loads(_as_text(run))
    now["data"]["id"] = before.get("data", {}).get("id")  # a release may have moved; its hash identifies it
    different = _differences(before, now)
    if different:
        raise ProofmatchError(
            f"{out} was started with other settings ({'; '.join(different)}); "
            "resume with the same ones, or give another --out"
        )


def claim_folder(out: Path, run: dict[str, Any]) -> None:
    """Write `run.json`, which marks a folder as the folder of a run."""
    with atomic_file(out / RUN) as unfinished:
        unfinished.write_text(_as_text(run), encoding="utf-8")


def is_finished(out: Path) -> bool:
    """Whether a run is complete: the card is the last file it writes."""
    return (out / CARD).exists()


def last_checkpoint(folder: Path, processes: int = 1) -> Path | None:
    """Find the newest complete checkpoint of a run that may have been killed at any moment.

    The first process writes the state last; the others write only their random generators. So a checkpoint is
    complete if it has these files and the state is readable.

    Args:
        folder: Folder of the run.
        processes: Number of processes of the training.
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

    The step numbers tell which are the newest. The library goes by modification times, and would delete the
    newest after the clock was set back.

    Args:
        folder: Folder of the run.
        kept: How many to keep; the last one and the best one are kept in any case.
        best: The checkpoint with the best weights so far.
    """
    checkpoints = _checkpoints(folder)
    spare = [path for path in checkpoints[:-1] if path != best]
    for path in spare[: max(0, len(checkpoints) - kept)]:
        shutil.rmtree(path, ignore_errors=True)


def _checkpoints(folder: Path) -> list[Path]:
    """List the checkpoints of a run by step."""
    from transformers.trainer_utils import PREFIX_CHECKPOINT_DIR

    numbers = {path: path.name.rpartition("-")[2] for path in folder.glob(f"{PREFIX_CHECKPOINT_DIR}-*")}
    return sorted(
        (path for path, number in numbers.items() if number.isdecimal()), key=lambda path: int(numbers[path])
    )


@contextmanager
def exclusive_use(out: Path) -> Iterator[None]:
    """Lock a folder against other trainings; the lock ends with the process.

    Raises:
        ProofmatchError: If another training holds the lock.
    """
    try:
        with exclusive_folder(out):
            yield
    except BlockingIOError:
        raise ProofmatchError(
            f"another training is writing to {out}; wait for it or give another --out"
        ) from None


@contextmanager
def readable_disk_errors(out: Path) -> Iterator[None]:
    """Turn disk errors, raised by any library, into one sentence with the remedy.

    Raises:
        ProofmatchError: For any disk error.
    """
    from safetensors import SafetensorError

    def ignore_disk_errors(thread: threading.ExceptHookArgs) -> None:
        # TensorBoard writes in a thread, whose errors surface nowhere else; the checkpoint will fail as well.
        if not isinstance(thread.exc_value, OSError):
            hook(thread)

    hook, threading.excepthook = threading.excepthook, ignore_disk_errors
    try:
        yield
    except UnpicklingError:
        raise ProofmatchError(
            f"the last checkpoint in {out} is damaged, or was not written by a training; "
            "remove it to resume from the previous one"
        ) from None
    except (OSError, SafetensorError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not any(words in str(error) for words in _TORCH_WRITES):
            raise
        raise ProofmatchError(
            f"the training in {out} cannot continue ({_reason(error, out)}); "
            "checkpoints are kept, continue with --resume"
        ) from None
    finally:
        threading.excepthook = hook


def _reason(error: Exception, out: Path) -> str:
    if isinstance(error, OSError):
        return disk_reason(error)
    # The libraries that write weights do not give the reason.
    is_full = shutil.disk_usage(out).free < _NEARLY_FULL
    return os.strerror(errno.ENOSPC) if is_full else first_line(error)


def _as_text(run: dict[str, Any]) -> str:
    return json.dumps(run, indent=2, sort_keys=True) + "\n"


def _differences(before: dict[str, Any], now: dict[str, Any], prefix: str = "") -> list[str]:
    different = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) or isinstance(new, dict):  # a missing section is an empty one
            different += _differences(old or {}, new or {}, f"{prefix}{key}.")
        elif old != new:
            different.append(f"{prefix}{key} was {old} and is {new}")
    return different
