"""The one step of the pipelines that we give to datatrove: run a rank."""

# pyright: reportMissingImports=false
# (The extra `distributed` need not be installed where types are checked.)

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from datatrove.pipeline.base import PipelineStep

from proofmatch import __version__

# A rank can be killed for reasons that are not its work's; what it has done is kept.
_ATTEMPTS = 3


class RunRank(PipelineStep):
    """Runs a rank in a process of its own and waits for it.

    Args:
        release: The release folder, by its absolute path.
        configuration: The configuration that was planned.
        workers: Processes of a rank.

    Attributes:
        waiting: Process to kill if this one is killed, because it would wait for ever; 0 for none.
    """

    name = "proofmatch build"
    type = "reader"

    def __init__(self, release: str, configuration: str, workers: int) -> None:
        super().__init__()
        self.release = release
        self.configuration = configuration
        self.version = __version__
        self.workers = workers
        self.waiting = 0

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:  # noqa: ANN401, ARG002
        """Run the rank.

        Raises:
            RuntimeError: With what the rank says.
        """
        module = f"{__package__}.rank"
        numbers = (rank, world_size, self.workers, os.getpid(), self.waiting)
        command = [sys.executable, "-m", module, self.release, self.configuration, self.version]
        for attempt in range(_ATTEMPTS):
            result = subprocess.run(
                [*command, *map(str, numbers)],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            is_killed = result.returncode < 0
            if result.returncode and (not is_killed or attempt == _ATTEMPTS - 1):
                raise RuntimeError(result.stderr.strip() or f"rank {rank} ended with {result.returncode}")
            if not is_killed:
                break
        return iter(())
