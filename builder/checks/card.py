"""The dataset card: its YAML can be read and has what the Hub and `load_dataset` need."""

import logging
import re
from collections.abc import Iterator
from typing import Any

from proofmatch.errors import ProofmatchError

from ..settings import check_license
from .evidence import Evidence
from .inventory import CARD
from .remarks import Fault, Remark
from .tables import CONFIG_BY_NAME

_FIGURE = re.compile(r"!\[[^\]]*\]\((figures/[^\s)]+)\)")
DEFAULT_CONFIG = next(iter(CONFIG_BY_NAME))


def read_card(evidence: Evidence) -> dict[str, Any] | str:
    """Read the YAML of the card, or tell why it cannot be read."""
    from huggingface_hub import DatasetCard

    hub_log = logging.getLogger("huggingface_hub.repocard")
    level = hub_log.level
    hub_log.setLevel(logging.ERROR)  # a card without YAML is told in our words
    try:
        text = (evidence.folder / CARD).read_text(encoding="utf-8")
        return DatasetCard(text, ignore_metadata_errors=False).data.to_dict() or "it has no YAML at its top"
    except OSError as error:
        return error.strerror or str(error)
    except Exception as error:
        # Broken YAML comes out as one of several exceptions of two libraries.
        return " ".join(str(error).split())
    finally:
        hub_log.setLevel(level)


def check_card(evidence: Evidence) -> Iterator[Remark]:
    """Check the card's YAML."""
    metadata = read_card(evidence)
    if isinstance(metadata, str):
        yield Fault(f"the YAML of {CARD} cannot be read: {metadata}")
        return
    for name in ("license", "language"):
        if not metadata.get(name):
            yield Fault(f"{CARD} names no {name}")
    yield from _wrong_license(metadata.get("license"))
    yield from _missing_figures(evidence)
    configs = entries(metadata, "configs")
    names = [entry.get("config_name") for entry in configs]
    for name in CONFIG_BY_NAME:
        if name not in names:
            yield Fault(f"{CARD} does not list config {name}")
    defaults = [entry.get("config_name") for entry in configs if entry.get("default")]
    if defaults != [DEFAULT_CONFIG]:
        found = ", ".join(map(str, defaults)) or "none"
        yield Fault(f"{CARD}: the default config is {found}, not {DEFAULT_CONFIG}")


def _wrong_license(told: Any) -> Iterator[Fault]:  # noqa: ANN401 - whatever the YAML has
    for name in (told if isinstance(told, list) else [told]) if told else []:
        try:
            check_license(str(name))
        except ProofmatchError as error:
            yield Fault(f"{CARD}: {error}")


def _missing_figures(evidence: Evidence) -> Iterator[Fault]:
    text = (evidence.folder / CARD).read_text(encoding="utf-8")
    for name in dict.fromkeys(_FIGURE.findall(text)):
        if name not in evidence.inventory.files:
            yield Fault(f"{CARD} shows {name}, which is missing")


def entries(metadata: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """List the mappings under a name of the card's YAML; whatever else is there is left out."""
    found = metadata.get(name)
    found = found if isinstance(found, list) else [found]
    return [entry for entry in found if isinstance(entry, dict)]


def entries_by_name(metadata: dict[str, Any], name: str, key: str = "name") -> dict[str, dict[str, Any]]:
    """List the mappings under a name of the card's YAML by one of their values, as far as that is a text."""
    named = ((entry.get(key), entry) for entry in entries(metadata, name))
    return {value: entry for value, entry in named if isinstance(value, str)}
