"""Runs the shell and Python blocks of a page of the documentation, in order."""

import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from proofmatch.cli import INTERRUPTED, main

REPOSITORY = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Blocks that are not to be typed.
SHOWN = {"text", "bibtex", "pycon"}
# The test suite runs in an environment already.
_ENVIRONMENT = (["python3", "-m", "venv", ".venv"], [".", ".venv/bin/activate"])


@dataclass(frozen=True)
class Block:
    """A block of a page, by its language."""

    language: str
    content: str


def read_blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def follow(page: Path, folder: Path, environment: Mapping[str, str]) -> int:
    """Run the blocks of a page in a folder, and return how many commands and Python blocks there were.

    All of them are one script, because a Python block sees the variables of those before it, and because
    starting Python and importing torch for each command would take longer than most commands.
    """
    script, done = ["from tests.documentation import run_command"], 0
    for block in read_blocks(page):
        if block.language == "python":
            script.append(block.content)
            done += 1
        elif block.language == "sh":
            for line in block.content.splitlines():
                if command := shlex.split(line, comments=True):
                    done += 1
                    if _is_runnable(command):
                        script.append(f"run_command({command!r})")
    text = "\n".join(script)
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(REPOSITORY), "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, (page.name, made.stdout[-2000:], made.stderr[-3000:])
    return done


def run_command(command: list[str]) -> None:
    """Run a command in this process; one that serves, in another, which is interrupted."""
    program, *rest = command
    assert program == "proofmatch", command
    if rest[0] == "serve":
        _serve_until_interrupted([sys.executable, "-m", *command, "--port", "0"])
    else:
        assert main(rest) == 0, command


def _is_runnable(command: list[str]) -> bool:
    """Tell whether a command can be run here.

    Installing is not, nor is `make`, which would install; their extras and targets must exist.
    """
    program, *rest = command
    if program == "pip":
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for extra in re.findall(r"\[([\w,]+)\]", " ".join(rest)):
            assert set(extra.split(",")) <= set(project["optional-dependencies"]), command
        return False
    if program == "make":
        makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
        for target in rest:
            assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), command
        return False
    if program == ".venv/bin/python":
        assert rest[:2] == ["-m", "pytest"], command
        return False
    if command in _ENVIRONMENT:
        return False
    assert program == "proofmatch", command
    if rest[0] == "demo":
        return False  # tests/test_cli.py runs it
    return not ("papers/" in rest and shutil.which("latexmlc") is None)


def _serve_until_interrupted(command: list[str]) -> None:
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells may have it ignored
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            url = re.match(r"(http://127\.0\.0\.1:\d+/?) ", said)
            assert url, (command, said)
            with urlopen(url[1]) as page:  # noqa: S310 - the pattern allows nothing else
                assert b"<textarea" in page.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == INTERRUPTED
        finally:
            process.kill()
