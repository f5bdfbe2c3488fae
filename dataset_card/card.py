"""Renders `README.md` of a release: YAML that drives `load_dataset`, and a description for people."""

from collections.abc import Iterable
from typing import Any

from ..builder.release.release import origin
from ..builder.release.schema import CONFIGS, SPLITS, Config
from ..builder.release.tables import WrittenFile
from .describe import describe
from .figures import draw_figures
from .templates import render

_PURPOSES = {
    "pairs": "the paper's: pairs of one article may be in several splits",
    "pairs_by_article": "no article in two splits: how a system does on articles it has not seen",
}

_VARIANTS = {
    "partial": "half the variables of each proof have other names, as far as there are names left",
    "full": "all variables of each proof have other names, as far as there are names left",
    "transpose": "variables that a proof shares with its statement have changed places, if it shares several",
    "trans": "the variables of each proof have changed places",
}


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
    files, first = list(files), origin(parameters)
    figures = draw_figures(statistics)
    configs = [
        _describe(config, [file for file in files if file.config == config.name]) for config in CONFIGS
    ]
    there = {split["name"] for config in configs for split in config["splits"]}
    card = render(
        "card.md.jinja",
        configs=configs,
        splits=[split for split in SPLITS if split in there],
        statistics=statistics,
        tables=describe(statistics),
        figures=figures,
        size_category=_size_category(statistics["pairs"]["kept"]),
        license=first["license"],
        made_by=first["made_by"],
        origin=first,
        variant=_variant(parameters),
        published_splits=_published_splits(first),
        purposes=_PURPOSES,
        count="{:,}".format,
        percent=lambda part, whole: f"{part / whole:.1%}",
        rows=_rows,
    )
    return {"README.md": card, **{figure.path: figure.svg for figure in figures}}


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


def _rows(config: dict[str, Any], split: str) -> str:
    """Count the rows of a split, for the table of splits."""
    return f"{sum(row['rows'] for row in config['splits'] if row['name'] == split):,}"


def _variant(parameters: dict[str, Any]) -> dict[str, Any] | None:
    """Describe what became of the variables' names, by us or in the published files."""
    symbols = parameters.get("symbols")
    if symbols not in _VARIANTS:
        return None
    ours = parameters["made_by"] == "variant"
    return {"symbols": symbols, "words": _VARIANTS[symbols], "can_be_undone": ours}


def _published_splits(first: dict[str, Any]) -> list[str]:
    """List the configurations whose splits were not made by us."""
    names = first.get("files", [])
    by_article = any(name.startswith("unmixed") for name in names)
    mixed = any(not name.startswith("unmixed") for name in names)
    return [name for name, ours in (("pairs", mixed), ("pairs_by_article", by_article)) if ours]


def _size_category(rows: int) -> str:
    """Name the Hub's size bracket."""
    bounds = [(1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")]
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")
