"""What the logs of a Slurm job say of tasks that could leave no word in the run folder."""

import re
from pathlib import Path

from ..run_folder import RunFolder
from .failures import failures
from .job import LAUNCH

_BAD_NEWS = re.compile(r"error|fatal|exception|killed|no such|not found", re.IGNORECASE)
_REMEDIES = {
    "launch_pickled_pipeline|bin/activate|No module named": "check --venv or --env-command",
    "TIME LIMIT": "raise --time or --tasks",
    "oom|out.of.memory": "raise --mem-per-cpu",
}
_DECORATION = re.compile(r"^(\d+: )?(.*/slurm_script: line \d+: )?")  # of srun -l, and of the shell


def reasons_of_failure(run: RunFolder) -> list[str]:
    """Collect why parts are missing: what ranks have said, or else, if they never began, their logs."""
    return failures(run) or _reasons_in_logs(run.path / LAUNCH / "slurm_logs")


def _reasons_in_logs(folder: Path) -> list[str]:
    kinds: dict[str, list[str]] = {}
    for log in sorted(folder.glob("*.out")):
        if line := _last_bad_news(log.read_text(encoding="utf-8", errors="replace")):
            # Tasks that fail for one reason name other steps, times and machines.
            kind = re.sub(r"\d+", "", line)
            kinds.setdefault(kind, []).append(f"task {log.stem}: {line}{_remedy(line)}")
    return [
        first + (f" (and {len(others)} more in the same way)" if others else "")
        for first, *others in kinds.values()
    ]


def _last_bad_news(text: str) -> str | None:
    lines = [line for line in text.splitlines() if _BAD_NEWS.search(line) and not line.startswith("+ ")]
    # srun only repeats how the program has ended.
    telling = [line for line in lines if not line.startswith("srun: ")] or lines
    return _DECORATION.sub("", telling[-1]).strip() if telling else None


def _remedy(line: str) -> str:
    return next(
        (f"; {remedy}" for said, remedy in _REMEDIES.items() if re.search(said, line, re.IGNORECASE)), ""
    )
