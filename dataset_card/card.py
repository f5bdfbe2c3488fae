"""Renders `README.md` of a release: YAML that drives `load_dataset`, and a description for people."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2

from ..builder.release.tables import CONFIGS, Config, WrittenFile
from .describe import statistics_tables

_TEMPLATE = "card.md.jinja"


def render_card(
    statistics: dict[str, Any], files: Iterable[WrittenFile], parameters: dict[str, Any]
) -> dict[str, str]:
    """Render the card and what it shows.

    Args:
        statistics: Content of `stats.json`.
        files: The Parquet files of the release.
        parameters: What decided the content of the release.

    Returns:
        The texts of `README.md` and of its figures, by their place in the release.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=False,  # noqa: S701 - Markdown, not HTML
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    files = list(files)
    card = environment.get_template(_TEMPLATE).render(
        configs=[
            _describe(config, [file for file in files if file.config == config.name]) for config in CONFIGS
        ],
        statistics=statistics,
        tables=statistics_tables(statistics),
        size_category=_size_category(statistics["pairs"]["kept"]),
        parameters=parameters,
    )
    return {"README.md": card}


def _describe(config: Config, files: list[WrittenFile]) -> dict[str, Any]:
    splits: dict[str, dict[str, Any]] = {}
    for file in files:
        split = splits.setdefault(file.split, {"name": file.split, "rows": 0, "arrow_bytes": 0})
        split["rows"] += file.rows
        split["arrow_bytes"] += file.arrow_bytes
    return {
        "name": config.name,
        "features": [
            {"name": field.name, "is_list": str(field.type).startswith("list")} for field in config.schema
        ],
        # `datasets` cannot load a split without rows, so the card does not promise one.
        "splits": [split for split in splits.values() if split["rows"]],
        "download_size": sum(file.file_bytes for file in files),
        "dataset_size": sum(split["arrow_bytes"] for split in splits.values()),
    }


def _size_category(rows: int) -> str:
    """Name the Hub's size bracket."""
    bounds = [(1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")]
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")
