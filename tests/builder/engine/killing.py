"""A corpus large enough to be killed in, and the means to do so."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import psutil


def copy_many_times(articles: Path, folder: Path, copies: int) -> Path:
    """Write the articles several times under other ids, so that there are several batches."""
    folder.mkdir()
    for article in sorted(articles.iterdir()):
        text = article.read_text()
        for number in range(copies):
            name = article.name.replace("sample.", f"copy{number}.")
            (folder / name).write_text(text.replace(article.stem, name.rsplit(".", 1)[0]))
    return folder


def start_build(
    source: Path,
    release: Path,
    workers: int = 2,
    program: Sequence[str] = ("-m", "proofmatch"),
    environment: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.Popen[str]:
    command = [sys.executable, *program, "build", str(source), "--out", str(release)]
    return subprocess.Popen(
        [*command, "--workers", str(workers)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        # What a shell starts in the background ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_until(condition: Callable[[], bool], build: subprocess.Popen[str]) -> bool:
    """Wait for a condition, and tell whether it came about before the build ended."""
    while build.poll() is None:
        if condition():
            return True
        time.sleep(0.002)
    return False


def workers_of(build: subprocess.Popen[str]) -> list[psutil.Process]:
    try:
        children = psutil.Process(build.pid).children()
        return [child for child in children if "resource_tracker" not in " ".join(child.cmdline())]
    except psutil.NoSuchProcess:
        return []


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
