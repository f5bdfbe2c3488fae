"""The folder that a training writes to: by one at a time, and with words for what the disk has against it."""

import errno
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.storage import disk_reason, exclusive_folder

_TORCH_WRITES = ("PytorchStreamWriter", "inline_container", "iostream")  # in what torch.save raises
_NEARLY_NOTHING = 1 << 20  # bytes


@contextmanager
def alone_in(out: Path) -> Iterator[None]:
    """Keep others from training in the same folder; the lock goes with the process, however it ends.

    Raises:
        ProofmatchError: If somebody is.
    """
    try:
        with exclusive_folder(out):
            yield
    except BlockingIOError:
        raise ProofmatchError(
            f"another training is writing to {out}; wait for it or give another --out"
        ) from None


@contextmanager
def explaining_disk_errors(out: Path) -> Iterator[None]:
    """Put into one sentence what goes wrong when files are written, by whichever library.

    Raises:
        ProofmatchError: If something does.
    """
    from safetensors import SafetensorError

    def pass_over(thread: threading.ExceptHookArgs) -> None:
        # Curves are written by a thread, which cannot be heard of elsewhere; the checkpoint fails as well.
        if not isinstance(thread.exc_value, OSError):
            hook(thread)

    hook, threading.excepthook = threading.excepthook, pass_over
    try:
        yield
    except UnpicklingError:
        raise ProofmatchError(
            f"the last checkpoint in {out} is damaged, or was not written by a training; "
            "remove it to start from the one before"
        ) from None
    except (OSError, SafetensorError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not any(words in str(error) for words in _TORCH_WRITES):
            raise
        raise ProofmatchError(
            f"the training in {out} cannot go on ({_reason(error, out)}); "
            "what is done is kept, go on with --resume"
        ) from None
    finally:
        threading.excepthook = hook


def _reason(error: Exception, out: Path) -> str:
    if isinstance(error, OSError):
        return disk_reason(error)
    # The libraries that write weights do not say why they could not.
    is_full = shutil.disk_usage(out).free < _NEARLY_NOTHING
    return os.strerror(errno.ENOSPC) if is_full else first_line(error)
