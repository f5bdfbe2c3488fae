"""All checks, one after the other: a fault in one does not keep the others from looking."""

from collections.abc import Callable, Iterable
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from ..release.schema import MANIFEST
from .articles import check_articles
from .card import check_card
from .discarded import check_discarded
from .duplicates import check_duplicates
from .evidence import Evidence, gather_evidence
from .figures import check_figures
from .ids import check_ids
from .inventory import DATA
from .labels import check_labels
from .layout import check_layout
from .manifest import check_manifest
from .order import check_order
from .references import check_references
from .remarks import Remark
from .renamed import check_renamed
from .report import CheckOutcome, CheckReport
from .schema import check_schema
from .splits import check_splits
from .tokens import check_tokens

MAX_LEAKED = 0.01

# Name → what holds if the check finds no fault, and the check.
CHECKS: dict[str, tuple[str, Callable[[Evidence], Iterable[Remark]]]] = {
    "manifest": ("every file is there, listed and unchanged", check_manifest),
    "layout": ("all configs, splits and shards are there", check_layout),
    "schema": ("every file has its columns, and every row what it should", check_schema),
    "card": ("the card's YAML has what the Hub needs", check_card),
    "figures": ("stats.json and the card tell the numbers of the files", check_figures),
    "tokens": ("every token is kind[.font]:surface", check_tokens),
    "discarded": ("what was left out has a named reason", check_discarded),
    "renamed": ("a variant's names can be put back", check_renamed),
    "articles": ("every article has one title and one list of categories", check_articles),
    "ids": ("ids are unique, well-formed and tell nothing", check_ids),
    "references": ("all tables tell the same of the same pair", check_references),
    "splits": ("splits have their sizes and share no pair", check_splits),
    "order": ("the order of the task's tables tells nothing", check_order),
    "duplicates": ("hardly a held-out pair is in another split too", check_duplicates),
    "labels": ("how often a proof names its statement", check_labels),
}


def check_release(release: str | Path, *, max_leaked: float = MAX_LEAKED) -> CheckReport:
    """Check a release: its files, tables, splits, and what gives the answer away.

    Args:
        release: The folder.
        max_leaked: Share of the held-out pairs that may be in another split too, both texts the same.

    Raises:
        ProofmatchError: If the folder is not a release at all.
    """
    folder = Path(release)
    if not folder.is_dir():
        raise ProofmatchError(f"{folder} is not a folder; give the folder that `proofmatch build` wrote")
    if not (folder / MANIFEST).exists() and not (folder / DATA).exists():
        raise ProofmatchError(f"{folder} is not a release: it has neither {MANIFEST} nor {DATA}/")
    with Progress("check", "steps") as progress:

        def tick(what: str) -> None:
            progress.summary = what
            progress.advance()

        evidence = gather_evidence(folder, max_leaked, tick)
        outcomes = []
        for name, (promise, check) in CHECKS.items():
            tick(name)
            outcomes.append(CheckOutcome(name, promise, tuple(check(evidence))))
        progress.summary = f"{len(evidence.tables)} tables looked at"
    return CheckReport(folder, tuple(outcomes))
