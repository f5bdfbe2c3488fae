"""All checks in order. A fault in one does not stop the others."""

from collections.abc import Callable, Iterable
from pathlib import Path

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from ..release.schema import DATA, MANIFEST
from .card import check_card, check_figures
from .check_splits import check_articles, check_order, check_sealed, check_splits
from .duplicates import check_duplicates
from .evidence import Evidence
from .files import check_discarded, check_layout, check_manifest, check_renamed, check_schema
from .ids import check_ids, check_references
from .report import CheckOutcome, CheckReport, Remark
from .texts import check_labels, check_tokens

MAX_LEAKED = 0.01

# Name → what holds if the check finds no fault, and the check.
CHECKS: dict[str, tuple[str, Callable[[Evidence], Iterable[Remark]]]] = {
    "manifest": ("every file is present, listed and unchanged", check_manifest),
    "layout": ("all configs, splits and shards are present", check_layout),
    "schema": ("every file has its columns, and every row valid values", check_schema),
    "card": ("the card's YAML has what the Hub needs", check_card),
    "figures": ("stats.json and the card agree with the files", check_figures),
    "tokens": ("every token is kind[.font]:surface", check_tokens),
    "discarded": ("everything discarded has a known reason", check_discarded),
    "renamed": ("the original names of a variant can be restored", check_renamed),
    "articles": ("every article has one title and one list of categories", check_articles),
    "ids": ("ids are unique and well-formed, and reveal no match", check_ids),
    "references": ("all tables agree on the same pair", check_references),
    "splits": ("splits have their sizes and share no pair", check_splits),
    "sealed": ("a sealed release has no pair of its test split", check_sealed),
    "order": ("the row order of the task's tables reveals no match", check_order),
    "duplicates": ("few held-out pairs occur in another split too", check_duplicates),
    "labels": ("how often a proof names a label that few statements have", check_labels),
}


def check_release(release: str | Path, *, max_leaked: float = MAX_LEAKED) -> CheckReport:
    """Check a release folder: its files, tables and splits, and whether anything reveals the matches.

    A share of `max_leaked` held-out pairs may occur in another split with the same two texts.
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

        evidence = Evidence(folder, max_leaked, tick)
        outcomes = []
        for name, (promise, check) in CHECKS.items():
            tick(name)
            outcomes.append(CheckOutcome(name, promise, tuple(check(evidence))))
        progress.summary = f"{len(evidence.tables)} tables checked"
    return CheckReport(folder, tuple(outcomes))
