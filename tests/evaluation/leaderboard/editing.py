"""Changes to result files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


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
