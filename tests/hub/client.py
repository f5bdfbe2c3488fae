"""Runs programs against the Hub on loopback, each with its own settings and caches; fixtures for pytest."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from .server import LoopbackHub

OWNER = "ada"
# As `proofmatch`, but without the pauses between the attempts of the Hub's client (23 s in all).
IMPATIENT = "import sys, time; time.sleep = lambda _: None; from proofmatch.cli import main; sys.exit(main())"


@dataclass(frozen=True)
class Client:
    """A user at a machine: a token, or none, and a home folder."""

    hub: LoopbackHub
    home: Path
    token: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Settings are read when huggingface_hub is imported, hence the processes."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.upper().startswith(("HF_", "HUGGING")) and not name.lower().endswith("_proxy")
        }
        return kept | {
            "HF_HOME": str(self.home),
            "HF_ENDPOINT": self.hub.url,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            **({"HF_TOKEN": self.token} if self.token else {}),
        }

    def python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a piece of Python, with `arguments` in `sys.argv[1:]`."""
        return self._run("-c", code, *arguments)

    def proofmatch(self, *arguments: str, patient: bool = True) -> subprocess.CompletedProcess[str]:
        return self._run(*(("-m", "proofmatch") if patient else ("-c", IMPATIENT)), *arguments)

    def start_proofmatch(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "proofmatch", *arguments],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as hub:
        yield hub


@pytest.fixture
def owner(hub: LoopbackHub, tmp_path: Path) -> Client:
    """A client that may write to the repositories of `OWNER`."""
    return Client(hub, tmp_path / "home", hub.add_token(OWNER))


@pytest.fixture
def stranger(hub: LoopbackHub, tmp_path: Path) -> Client:
    """A client without a token."""
    return Client(hub, tmp_path / "home of a stranger")
