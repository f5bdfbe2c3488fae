"""Commands that are killed at random moments and run again until they finish."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import psutil

_LATEST = 3  # kills in a row, after which a command may come to its end
_PATIENCE = 600  # seconds for a command that nobody kills


@dataclass(frozen=True)
class Errand:
    """A command and what is to come of it.

    Attributes:
        name: Its name.
        command: Gives the arguments of `proofmatch`: those of the first time, or of the time after a kill.
        outcome: What it has made, to be compared.
        environment: Variables to add to those of this process.
        victims: Who may be killed: `driver`, `worker`, or `group` for all at once.
    """

    name: str
    command: Callable[[], list[str]]
    outcome: Callable[[], Any]
    environment: dict[str, str] = field(default_factory=dict)
    victims: tuple[str, ...] = ("driver",)


@dataclass(frozen=True)
class Kill:
    """When somebody was killed, and who."""

    after: float
    of: float
    victim: str


@dataclass
class Trial:
    """What was done to an errand, and what came of it."""

    errand: str
    kills: list[Kill] = field(default_factory=list)
    attempts: int = 0
    orphans: int = 0
    failure: str | None = None
    outcome: Any = None

    def as_dict(self, expected: object) -> dict[str, object]:
        return {
            "errand": self.errand,
            "kills": [
                {"after_seconds": round(kill.after, 3), "of_seconds": round(kill.of, 3), "who": kill.victim}
                for kill in self.kills
            ],
            "attempts": self.attempts,
            "orphans": self.orphans,
            "failure": self.failure,
            "identical": self.failure is None and self.outcome == expected,
        }


def run_undisturbed(errand: Errand) -> float:
    """Run an errand to its end; how many seconds it took."""
    start = time.monotonic()
    code, said = _finish(_start(errand))
    if code:
        raise RuntimeError(f"{errand.name} ended with {code}: {said}")
    return time.monotonic() - start


def run_killed(errand: Errand, duration: float, chance: Random) -> Trial:
    """Kill an errand once or more, at moments that are equally likely, and let it come to its end.

    Args:
        errand: The errand.
        duration: How long it takes.
        chance: Decides when and who.
    """
    trial = Trial(errand.name)
    wanted = chance.randint(1, _LATEST)
    while True:
        process = _start(errand)
        trial.attempts += 1
        if len(trial.kills) < wanted:
            _kill(process, errand, chance.uniform(0, duration), duration, chance, trial)
        code, said = _finish(process)
        if code == 0:
            break
        if code != -signal.SIGKILL or trial.attempts > 20:
            trial.failure = f"ended with {code}: {said.strip()[-500:]}"
            return trial
    trial.outcome = errand.outcome()
    return trial


def _start(errand: Errand) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "proofmatch", *errand.command()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **errand.environment},
        start_new_session=True,  # so that a group can be killed that is not ours
    )


def _finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=_PATIENCE)
    return process.returncode, said


def _kill(
    process: subprocess.Popen[str],
    errand: Errand,
    moment: float,
    duration: float,
    chance: Random,
    trial: Trial,
) -> None:
    """Kill the process or one of its workers after some seconds, unless it ends before."""
    time.sleep(moment)
    children = _children(process)
    victim = chance.choice(errand.victims)
    if victim == "worker" and not children:
        victim = "driver"
    if process.poll() is not None:
        return
    if victim == "worker":
        chance.choice(children).kill()
    elif victim == "group":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    trial.kills.append(Kill(moment, duration, victim))
    if victim != "worker":
        _, alive = psutil.wait_procs(children, timeout=20)
        trial.orphans += len(alive)


def _children(process: subprocess.Popen[str]) -> list[psutil.Process]:
    try:
        children = psutil.Process(process.pid).children()
        return [child for child in children if "resource_tracker" not in " ".join(child.cmdline())]
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []
