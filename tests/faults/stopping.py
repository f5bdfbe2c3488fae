"""Processes that pause at a chosen point until they are told to continue."""

import os
import signal
import subprocess
import time
from pathlib import Path

import psutil

from tests.builder.engine.killing import start_build

# Stops before a method of the run folder is called for the first time.
_PROGRAM = """
import os, signal, sys
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.cli import main

name = sys.argv.pop(1)
method = getattr(RunFolder, name)

def stop_before(*arguments):
    setattr(RunFolder, name, method)
    os.kill(os.getpid(), signal.SIGSTOP)
    return method(*arguments)

setattr(RunFolder, name, stop_before)
sys.exit(main(sys.argv[1:]))
"""


def start_build_that_stops(source: Path, release: Path, before: str) -> subprocess.Popen[str]:
    """Start a build and wait until it stands still before a method of its run folder."""
    build = start_build(source, release, program=("-c", _PROGRAM, before))
    wait_until_stopped(build.pid)
    return build


def wait_until_stopped(process: int) -> None:
    while psutil.Process(process).status() != psutil.STATUS_STOPPED:
        assert psutil.Process(process).status() != psutil.STATUS_ZOMBIE, "it ended instead of stopping"
        time.sleep(0.01)


def go_on(process: int) -> None:
    os.kill(process, signal.SIGCONT)
