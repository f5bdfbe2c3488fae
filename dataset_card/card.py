"""Renders `README.md` of a release: YAML that drives `load_dataset`, and a description for people."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .figures import card_figures
from .tables import make_tables
from .templates import render

_PURPOSES = {
    "pairs": "the split of the paper: pairs of one article may be in several splits",
    "pairs_by_article": "no article is in two splits: measures performance on unseen articles",
}

_VARIANTS = {
    "partial": "half the variables of each proof have other names, as far as there are names left",
    "full": "all variables of each proof have other names, as far as there are names left",
    "transpose": "variables that a proof shares with its statement have changed places, if it shares several",
    "trans": "the variables of each proof have changed places",
}


_OTHER = "other"  # the Hub's name for licences without a name of their own
_MAX_LICENSES = 20
_HUB_LICENSE = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")
_CREATIVE_COMMONS = re.compile(
    r"(?:CC[ -][A-Z-]+[ -]\d\.\d )?https?://creativecommons\.org/licenses/"
    r"(?P<kind>by(?:-nc)?(?:-sa|-nd)?)/(?P<version>\d\.\d)/?"
)


@dataclass(slots=True)
class SplitSize:
    """How large a split of a configuration is."""

    name: str
    rows: int = 0
    arrow_bytes: int = 0


@dataclass(slots=True)
class ConfigFacts:
    """A configuration of the dataset, as the card lists it."""

    name: str
    columns: Sequence[tuple[str, bool]]  # the name of each, and whether its values are lists
    splits: dict[str, SplitSize] = field(default_factory=dict)
    file_bytes: int = 0

    @property
    def loadable_splits(self) -> list[SplitSize]:
        """The splits that have rows; `datasets` cannot load empty ones."""
        return [split for split in self.splits.values() if split.rows]

    def add_file(self, split: str, rows: int, arrow_bytes: int, file_bytes: int) -> None:
        """Add the numbers of one of its Parquet files."""
        size = self.splits.setdefault(split, SplitSize(split))
        size.rows += rows
        size.arrow_bytes += arrow_bytes
        self.file_bytes += file_bytes


@dataclass(frozen=True, slots=True)
class CardFacts:
    """The facts that the card of a release is rendered from."""

    statistics: dict[str, Any]  # content of `stats.json`
    configs: Sequence[ConfigFacts]  # the default one first
    splits: Sequence[str]  # names, in order
    parameters: dict[str, Any]  # the parameters that determine the content of the release
    origin: dict[str, Any]  # for a variant, the parameters of the release that was built or imported


def render_card(facts: CardFacts) -> Iterator[tuple[str, str]]:
    """Render `README.md`, and then its figures: paths in the release, and texts."""
    statistics, origin = facts.statistics, facts.origin
    figures = card_figures(statistics)
    there = {split.name for config in facts.configs for split in config.loadable_splits}
    card = render(
        "card.md.jinja",
        configs=facts.configs,
        splits=[split for split in facts.splits if split in there],
        statistics=statistics,
        tables=make_tables(statistics),
        figures=figures,
        size_category=_size_category(statistics["pairs"]["kept"]),
        license=_hub_license(statistics["licenses"]),
        licenses=_shown_licenses(statistics["licenses"]),
        made_by=origin["made_by"],
        origin=origin,
        variant=_variant(facts.parameters),
        published_splits=_published_splits(origin),
        purposes=_PURPOSES,
        count="{:,}".format,
        percent=lambda part, whole: f"{part / whole:.1%}",
        sealed=_sealed(facts.parameters),
        rows=lambda config, split: f"{config.splits[split].rows if split in config.splits else 0:,}",
    )
    yield "README.md", card
    yield from ((figure.path, figure.svg()) for figure in figures)


def _hub_license(licenses: dict[str, int]) -> str:
    """Find the Hub's name of the licence that all documents have, or else `other`.

    >>> _hub_license({"CC BY 4.0 https://creativecommons.org/licenses/by/4.0/": 7})
    'cc-by-4.0'
    """
    names = {_hub_name(license) for license in licenses}
    return names.pop() if len(names) == 1 else _OTHER


def _hub_name(license: str) -> str:
    if match := _CREATIVE_COMMONS.fullmatch(license):
        return f"cc-{match['kind']}-{match['version']}"
    return license if _HUB_LICENSE.fullmatch(license) else _OTHER


def _shown_licenses(licenses: dict[str, int]) -> list[tuple[str, int]]:
    """List licences and their numbers of pairs, the most frequent first; the rest in one line."""
    rows = [(name, pairs) for name, pairs in licenses.items() if name != _OTHER]
    rest = sum(pairs for _, pairs in rows[_MAX_LICENSES:])
    rows = rows[:_MAX_LICENSES] + ([("further licences", rest)] if rest else [])
    unstated = licenses.get(_OTHER, 0)
    return rows + ([("not stated", unstated)] if rows and unstated else [])


def _variant(parameters: dict[str, Any]) -> dict[str, Any] | None:
    """Describe how the variables were renamed, by us or in the published files."""
    symbols = parameters.get("symbols")
    if symbols not in _VARIANTS:
        return None
    ours = parameters["made_by"] == "variant"
    return {"symbols": symbols, "words": _VARIANTS[symbols], "can_be_undone": ours}


def _sealed(parameters: dict[str, Any]) -> dict[str, Any] | None:
    """Describe what a sealed release withholds: pairs of one configuration, also missing from the other."""
    if "sealed" not in parameters:
        return None
    names = ["pairs", "pairs_by_article"]
    if parameters["sealed"]["family"] == "by_article":
        names.reverse()
    return {"pairs": parameters["sealed"]["pairs"], "config": names[0], "other": names[1]}


def _published_splits(origin: dict[str, Any]) -> list[str]:
    """List the configurations whose splits were published by the authors of the corpus."""
    names = origin.get("files", [])
    by_article = any(name.startswith("unmixed") for name in names)
    mixed = any(not name.startswith("unmixed") for name in names)
    return [name for name, there in (("pairs", mixed), ("pairs_by_article", by_article)) if there]


def _size_category(rows: int) -> str:
    """Name the Hub's size bracket."""
    bounds = [(1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M")]
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")
