"""The store of results: a JSON Lines file per release, in which a rerun replaces only its own lines.

A line of `results/stacks.jsonl` is a result: its group (`main`, `validation`, `ablation`, `transductive`,
`symbols/full`, …), the name of the run (for a trained system, its name in `models.toml` or `ablation.toml`),
and the unchanged content of the result file. Some lines of the group `transfer` also have scores by work.
`results/stacks.histories.jsonl` has the training logs.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from proofmatch.storage import write_atomically

EXPERIMENTS = Path(__file__).parent

Line = dict[str, Any]
Result = dict[str, Any]
History = list[dict[str, Any]]
Work = dict[str, float]  # `n` pairs and their `mrr`


class Store:
    """The results of a release.

    Args:
        release_id: The release's name.
        folder: Where the files are.
    """

    def __init__(self, release_id: str, folder: Path = EXPERIMENTS / "results") -> None:
        self._results = folder / f"{release_id}.jsonl"
        self._histories = folder / f"{release_id}.histories.jsonl"

    def results(self, group: str) -> list[Result]:
        """Read the results of a group."""
        return [line["result"] for line in _read(self._results) if line["group"] == group]

    def histories(self) -> dict[str, History]:
        """Read the training logs, by the names of the systems."""
        return {line["name"]: line["history"] for line in _read(self._histories)}

    def write_files(self, folder: Path) -> None:
        """Write every result as a separate file, as `proofmatch leaderboard` reads them."""
        for line in _read(self._results):
            group = "" if line["group"] == "main" else line["group"]
            _, config, name, decoding, normalization = _order(line)
            stem = "-".join(filter(None, (config, name, normalization, decoding)))
            path = folder / group / f"{stem}.result.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(line["result"], indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    def works(self, group: str) -> dict[str, dict[str, Work]]:
        """Read the scores by work of a group, by the names of the systems."""
        lines = [line for line in _read(self._results) if line["group"] == group and "works" in line]
        return {line["result"]["system"]["name"]: line["works"] for line in lines}

    def replace_results(
        self, group: str, name: str, results: Iterable[Result], works: dict[str, Work] | None = None
    ) -> None:
        """Replace all results of a run on one configuration.

        Args:
            group: The group.
            name: The name of the run.
            results: A result for each decoding.
            works: The scores of a ranking by work, if there are several works.
        """
        lines = [{"group": group, "name": name, "result": result} for result in results]
        if works is not None:
            lines[0]["works"] = works
        _replace(self._results, lines, _run)

    def replace_history(self, name: str, history: History) -> None:
        """Replace the training log of a system."""
        _replace(self._histories, [{"name": name, "history": history}], lambda line: line["name"])


def _run(line: Line) -> tuple[str, str, str]:
    return line["group"], line["result"]["dataset"]["config"], line["name"]


def _order(line: Line) -> tuple[str, ...]:
    if "result" not in line:
        return (line["name"],)
    system = line["result"]["system"]
    return (*_run(line), system["decoding"], system.get("normalization", {}).get("method", ""))


def _read(path: Path) -> list[Line]:
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def _replace(path: Path, lines: list[Line], key: Callable[[Line], object]) -> None:
    """Replace the lines that have the same keys, and keep all others."""
    replaced = {key(line) for line in lines}
    kept = [line for line in _read(path) if key(line) not in replaced]
    text = "".join(
        json.dumps(line, ensure_ascii=False) + "\n" for line in sorted([*kept, *lines], key=_order)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
