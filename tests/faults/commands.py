"""Commands that write, run as separate programs, and what must hold when one of them fails."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

from proofmatch.builder.sample import sample_articles
from proofmatch.cli import main
from tests.faults.disks import see_disks_of
from tests.faults.errands import train_command
from tests.training.trainer.running import run

# What each command writes for good; whatever else it leaves is its own business. An import writes as a build.
FINAL = {
    "build": "release/manifest.json",
    "variant": "release/manifest.json",
    "seal": "public/manifest.json",
    "train": "model/README.md",
    "baseline": "p.jsonl",
    "baseline.gz": "p.jsonl.gz",
    "baseline.parquet": "p.parquet",
    "baseline.trec": "p.trec",
    "match": "m.jsonl",
    "evaluate": "r.json",
    "report": "r.html",
    "leaderboard": "site/index.html",
    "export": "beir/corpus.jsonl",
}

_PROGRAMS = ("build", "variant", "seal")


class Commands:
    """Gives the arguments of each command that writes into a folder.

    Args:
        release: A small release.
        workplace: Where to put what commands need beside it.
    """

    def __init__(self, release: Path, workplace: Path) -> None:
        self._release = release
        self._predictions = workplace / "p.jsonl"
        self._results = workplace / "results"
        data = ["--data", str(release), "--split", "train"]
        self._data = data
        for arguments in (
            ["baseline", "tfidf", *data, "--out", str(self._predictions)],
            ["evaluate", str(self._predictions), *data, "--out", str(self._results / "p.result.json")],
        ):
            ran = proofmatch(*arguments)
            assert ran.returncode == 0, ran.stderr

    def arguments(self, name: str, out: Path) -> list[str]:
        made: dict[str, Callable[[], list[str]]] = {
            "build": lambda: ["build", str(sample_articles()), "--workers", "1"],
            "variant": lambda: ["variant", str(self._release), "--symbols", "full", "--workers", "1"],
            "seal": lambda: ["seal", str(self._release), "--gold", str(out / "gold.jsonl"), "--workers", "1"],
            "match": lambda: ["match", str(self._predictions)],
            "evaluate": lambda: ["evaluate", str(self._predictions), *self._data],
            "report": lambda: ["report", str(self._predictions), *self._data],
            "leaderboard": lambda: ["leaderboard", str(self._results)],
            "export": lambda: ["export", str(self._release), "--format", "beir"],
        }
        if name == "train":
            resume = ["--resume"] if (out / "model" / "run.json").exists() else []
            return train_command(self._release, out / "model", *resume)
        if name.startswith("baseline"):
            return ["baseline", "tfidf", *self._data, "--out", str(out / FINAL[name])]
        place = Path(FINAL[name])
        return [*made[name](), "--out", str(out / (place.parent if len(place.parts) > 1 else place))]


def proofmatch(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command: as a program of its own if it starts others or leaves its mark on a process."""
    if arguments[0] == "train":
        with tempfile.TemporaryDirectory() as folder:
            # A process that need not load everything anew, and is no child of this one.
            code, said = run(Path(folder, "said"), *arguments, patch=partial(see_disks_of, os.getpid()))
        return subprocess.CompletedProcess(arguments, code, "", said)
    if arguments[0] not in _PROGRAMS:
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as errors:
            code = main(arguments)
        return subprocess.CompletedProcess(arguments, code, out.getvalue(), errors.getvalue())
    return subprocess.run(
        [sys.executable, "-m", "proofmatch", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def failure(ran: subprocess.CompletedProcess[str]) -> str:
    """The sentence with which a command has failed: one, at the end, without a traceback."""
    assert ran.returncode == 2, ran.stderr
    assert "Traceback" not in ran.stderr
    *before, last = ran.stderr.strip().splitlines()
    assert last.startswith("proofmatch "), ran.stderr
    assert not any(line.startswith("proofmatch ") for line in before)
    return last
