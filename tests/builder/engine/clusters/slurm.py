"""A real Slurm of one machine that leaves the installed one alone: a folder, two ports, three daemons."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")

# The node is declared with two CPUs, whatever the machine has, and everything but batch jobs is switched off.
CONFIGURATION = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
AuthInfo=socket={folder}/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=5
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000
PartitionName=short Nodes=localhost Default=YES
"""


def why_not() -> str | None:
    """Tell why there can be no Slurm here."""
    missing = [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]
    if missing:
        return f"{', '.join(missing)} not installed (Debian's slurmctld, slurmd and munge)"
    return None if os.geteuid() == 0 else "slurmd runs as root only"


@contextmanager
def running_slurm() -> Iterator[dict[str, str]]:
    """Start it, and yield the environment of its users; afterwards no process of it is left."""
    folder = Path(tempfile.mkdtemp(prefix="pm", dir="/tmp"))  # the paths of sockets must be short
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, ports=_free_ports()))
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o600)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_"))}
    environment = {**kept, "PATH": _path(), "SLURM_CONF": str(configuration)}
    files = ("socket=munge", "key-file=key", "log-file=munged.log", "pid-file=munged.pid", "seed-file=seed")
    words = [f"--{option}={folder / file}" for option, file in (entry.split("=") for entry in files)]
    daemons: list[subprocess.Popen[bytes]] = []
    try:
        with (folder / "log").open("wb") as log:
            for command in (
                ["munged", "--foreground", "--force", *words],
                ["slurmctld", "-D"],
                ["slurmd", "-D", "-N", "localhost"],
            ):
                daemons.append(
                    subprocess.Popen(
                        command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                    )
                )
                is_ready = (folder / "munge").exists if command[0] == "munged" else lambda: True
                _wait(is_ready, daemons, folder / "log")
        _wait(lambda: "idle" in _ask(environment, "sinfo"), daemons, folder / "log")
        yield environment
        subprocess.run(["scancel", "--user", "root"], env=environment, check=False)
        _wait(lambda: not _ask(environment, "squeue"), daemons, folder / "log")
    finally:
        for daemon in reversed(daemons):
            daemon.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
        for process in processes_of(configuration):
            process.kill()
        shutil.rmtree(folder, ignore_errors=True)


def processes_of(configuration: Path) -> list[psutil.Process]:
    """Find all that belongs to a Slurm: its daemons, and what runs in its jobs."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("SLURM_CONF") == str(configuration):
                found.append(process)
    return found


def wait_for(condition: Callable[[], bool], log: Path) -> None:
    """Wait, but not for a Slurm that will never do it."""
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text())


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


def _free_ports() -> list[int]:
    """Find two below those that connections of other tests get by chance."""
    found = []
    for port in random.sample(range(20_000, 32_000), 100):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("", port))
            found.append(port)
    return found[:2]


def _ask(environment: dict[str, str], program: str) -> str:
    asked = subprocess.run(
        [program, "--noheader"], env=environment, capture_output=True, text=True, check=False
    )
    return asked.stdout


def _wait(condition: Callable[[], bool], daemons: list[subprocess.Popen[bytes]], log: Path) -> None:
    wait_for(lambda: condition() or any(daemon.poll() is not None for daemon in daemons), log)
    assert condition(), log.read_text()
