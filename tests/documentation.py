"""Runs what a page of the documentation tells people to type: its shell and Python blocks, in their order."""

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

from proofmatch.cli import INTERRUPTED
from tests.conftest import REPOSITORY

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Blocks that are not to be typed.
SHOWN = {"text", "bibtex", "pycon"}


@dataclass(frozen=True)
class Block:
    """A block of a page, by its language."""

    language: str
    content: str


def read_blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def follow(page: Path, folder: Path, environment: Mapping[str, str]) -> int:
    """Run the blocks of a page in a folder, and return how many commands and Python blocks there were.

    A Python block sees the variables of those before it, so all of them are one script; shell blocks between
    them are run where they stand, through `tests.documentation` as a module.
    """
    script, done = ["import subprocess, sys"], 0
    for block in read_blocks(page):
        if block.language == "python":
            script.append(block.content)
            done += 1
        elif block.language == "sh":
            for line in block.content.splitlines():
                if command := shlex.split(line, comments=True):
                    done += 1
                    if _is_runnable(command):
                        runs = [sys.executable, "-m", "tests.documentation", *command]
                        script.append(f"subprocess.run({runs!r}, check=True)")
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
    assert program in ("proofmatch", "python"), command
    return not ("papers/" in rest and shutil.which("latexmlc") is None)


def _run(command: list[str]) -> None:
    program, *rest = command
    module = ["-m", "proofmatch", *rest] if program == "proofmatch" else rest
    if rest[0] == "serve":
        _serve_until_interrupted([sys.executable, *module, "--port", "0"])
        return
    made = subprocess.run([sys.executable, *module], capture_output=True, text=True, check=False)
    assert made.returncode == 0, (command, made.stdout[-2000:], made.stderr[-2000:])


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
            url = re.match(r"(http://127\.0\.0\.1:\d+/?) has the page", said)
            assert url, (command, said)
            with urlopen(url[1]) as page:  # noqa: S310 - the pattern allows nothing else
                assert b"<textarea" in page.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == INTERRUPTED
        finally:
            process.kill()


if __name__ == "__main__":
    _run(sys.argv[1:])
