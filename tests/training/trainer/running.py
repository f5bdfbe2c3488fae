"""Runs the command line in processes that can be killed, without loading libraries each time.

A fork server loads the libraries once. Each run is a fork of it: a process with its own memory and signals.
"""

import faulthandler
import gc
import json
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

TIMES = ("train_runtime", "train_samples_per_second", "train_steps_per_second")

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(
    [
        "proofmatch.cli",
        "proofmatch.builder.release.release",
        "proofmatch.training.commands.train",
        "proofmatch.training.run",
        "proofmatch.training.trainer.trainer",
        "torch.utils.tensorboard",
    ]
)


@dataclass(frozen=True)
class Run:
    """A process that runs `proofmatch`, and the file that has what it says."""

    process: ForkServerProcess
    said: Path
    port: socket.socket | None = None  # where several processes meet; nobody else is given it meanwhile

    def end(self, patience: float = 120) -> int:
        """Wait for its end and give its exit code; a negative one is a signal.

        A process that hangs says where, and is killed with all others: the tests would wait for them at exit.
        """
        self.process.join(patience)
        if self.process.exitcode is None:
            os.kill(self.process.pid, signal.SIGUSR1)
            time.sleep(1)
            for process in multiprocessing.active_children():
                process.kill()
            raise AssertionError(f"it hangs: {self.output}")
        return self.process.exitcode

    @property
    def output(self) -> str:
        return self.said.read_text(encoding="utf-8")


def start(
    said: Path,
    *arguments: str,
    patch: Callable[[], None] | None = None,
    environment: dict[str, str] | None = None,
    port: socket.socket | None = None,
) -> Run:
    """Start `proofmatch` with some arguments.

    Args:
        said: The file for what is printed.
        arguments: Of the command line.
        patch: Called in the process before it begins.
        environment: Further environment variables.
        port: Where it meets others; kept from strangers as long as the run is of interest.
    """
    said.write_text("")
    # The server's environment is of the moment it was started, maybe by other tests.
    cache = {name: value for name, value in os.environ.items() if name == "XDG_CACHE_HOME"}
    process = SERVER.Process(
        target=_run, args=(str(said), arguments, patch, {**cache, **(environment or {})})
    )
    process.start()
    return Run(process, said, port)


def run(said: Path, *arguments: str, patch: Callable[[], None] | None = None) -> tuple[int, str]:
    """Run `proofmatch` to its end; its exit code and what it has printed."""
    started = start(said, *arguments, patch=patch)
    return started.end(), started.output


def start_together(
    said: Path, processes: int, *arguments: str, patch: Callable[[], None] | None = None
) -> list[Run]:
    """Start several processes that train together, as `torchrun` does."""
    # Bound, so that nobody else is given the port, but not listening, so that the first process may.
    port = socket.socket()
    port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    port.bind(("127.0.0.1", 0))
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port.getsockname()[1])}
    shared["WORLD_SIZE"] = str(processes)
    return [
        start(
            said.with_name(f"{said.name}-{rank}"),
            *arguments,
            patch=patch,
            environment={**shared, "RANK": str(rank), "LOCAL_RANK": str(rank), "OMP_NUM_THREADS": "1"},
            port=port,
        )
        for rank in range(processes)
    ]


def _run(
    said: str, arguments: tuple[str, ...], patch: Callable[[], None] | None, environment: dict[str, str]
) -> None:
    file = os.open(said, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.register(signal.SIGUSR1, file=2)
    os.environ.update(environment)

    gc.freeze()  # what the server has loaded is never garbage

    import torch

    torch.set_num_threads(1)
    if patch is not None:
        patch()

    from proofmatch.cli import main

    sys.exit(main(arguments))


def history(model: Path) -> list[dict[str, float]]:
    """All that was logged, without how long it took."""
    logged = json.loads((model / "history.json").read_text())
    return [{key: value for key, value in entry.items() if key not in TIMES} for entry in logged]


def weights(model: Path) -> "dict[str, torch.Tensor]":
    from safetensors.torch import load_file

    return load_file(model / "model.safetensors")


def assert_same_weights(model: Path, other: Path) -> None:
    import torch

    ours, theirs = weights(model), weights(other)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not torch.equal(ours[name], theirs[name])] == []
