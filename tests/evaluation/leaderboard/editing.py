"""Changes to result files."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from proofmatch.cli import main


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change what a result file says."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False), encoding="utf-8")
    return path


def copied(path: Path, name: str, change: Callable[[dict[str, Any]], object] = lambda _: None) -> Path:
    """Make a changed copy of a result file, without predictions, beside it."""
    other = path.with_name(name)
    other.write_bytes(path.read_bytes())
    return edit(other, change)


def put(*places: str, value: object) -> Callable[[dict[str, Any]], object]:
    """Make a change that sets one field, by its path."""

    def change(content: dict[str, Any]) -> None:
        for place in places[:-1]:
            content = content[place]
        content[places[-1]] = value

    return change


def understate(content: dict[str, Any]) -> None:
    """Change the MRR to one that its interval still contains."""
    content["scores"]["mrr"] = content["scores"]["ci95"]["mrr"][0]


def reversed_lists(predictions: Path) -> None:
    """List the proofs of every statement the other way round."""
    rows = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    lines = [json.dumps({**row, "proof_ids": row["proof_ids"][::-1], "scores": None}) for row in rows]
    predictions.write_text("\n".join(lines) + "\n", encoding="utf-8")


def copied_whole(result: Path, stem: str, release: Path, *, name: str) -> Path:
    """Copy a result with its predictions and their sidecar, and evaluate it under another name."""
    other = result.parent / f"{stem}.jsonl"
    other.parent.mkdir(exist_ok=True)
    shutil.copy(predictions_of(result), other)
    shutil.copy(sidecar_of(predictions_of(result)), sidecar_of(other))
    edit(sidecar_of(other), put("name", value=name))
    return evaluated(other, release)


def evaluated(predictions: Path, release: Path, *options: str) -> Path:
    """Score predictions, and return the result file beside them."""
    result = predictions.with_name(predictions.name.removesuffix(".jsonl") + ".result.json")
    assert main(["evaluate", str(predictions), "--data", str(release), "--out", str(result), *options]) == 0
    return result


def predictions_of(result: Path) -> Path:
    return result.with_name(result.name.removesuffix(".result.json") + ".jsonl")


def sidecar_of(predictions: Path) -> Path:
    return predictions.with_name(f"{predictions.name}.system.json")
