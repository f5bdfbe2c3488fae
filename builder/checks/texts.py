"""Tokens and texts: tokens have the right form; how often a proof names a label that few statements have."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..extraction.pairs import Label, most_carriers, names_label, own_label
from ..release.schema import ROW_GROUP, SPLITS
from .evidence import FAMILIES, Evidence
from .report import Fault, Note, Remark

_START = 80  # characters in which a statement has its label, and a proof says what it proves
_PROOF_OF = re.compile(r"\W*(?:\w+\s+)?proof\s+of\b", re.IGNORECASE)


def check_tokens(evidence: Evidence) -> Iterator[Remark]:
    """Report the distinct tokens of a wrong form."""
    for problem, cases in evidence.malformed_tokens.items():
        yield Fault.about(f"{len(cases):,} distinct tokens: {problem}", cases)
    yield Note(f"{len(evidence.vocabulary.tokens):,} distinct tokens")


class _Hint(NamedTuple):
    """What a pair reveals about its statement's label."""

    label: Label | None
    is_named: bool = False  # by the proof
    is_at_once: bool = False  # at its start, as in "Proof of Theorem 1.3."
    example: str = ""


def check_labels(evidence: Evidence) -> Iterator[Remark]:
    """Count the proofs that name their statement's label, if it tells the candidates of the split apart.

    "Proof of Theorem 1.3." is a hint if few statements of the split are called Theorem 1.3.
    """
    hints: dict[str, _Hint] = {}
    for suffix in FAMILIES:
        config = f"pairs{suffix}"
        yield from evidence.unreadable(config)
        for split in SPLITS:
            if evidence.has(config, split) and len(evidence.tables[config, split]):
                ids = evidence.tables[config, split].ids["id"].to_pylist()
                if not hints.keys() >= set(ids):  # both families have the same pairs
                    hints.update(_read_hints(evidence, config, split))
                yield _count_hints(f"{config} {split}", [(name, hints[name]) for name in ids])


def _read_hints(evidence: Evidence, config: str, split: str) -> Iterator[tuple[str, _Hint]]:
    """Compare the statements and proofs of a split."""
    for file in evidence.inventory.shards(config, split):
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(batch_size=ROW_GROUP, columns=["id", "statement", "proof"]):
                evidence.tick("search for labels")
                starts = pc.utf8_slice_codeunits(batch["statement"], 0, _START)
                columns = [
                    column.fill_null("").to_pylist() for column in (batch["id"], starts, batch["proof"])
                ]
                for identifier, statement, proof in zip(*columns, strict=True):
                    yield identifier, _hint(statement, proof)


def _hint(statement: str, proof: str) -> _Hint:
    label = own_label(statement)
    if label is None or not names_label(proof, label):
        return _Hint(label)
    at_once = _PROOF_OF.match(proof) is not None and names_label(proof[:_START], label)
    return _Hint(label, True, at_once, f"{_excerpt(statement, 30)} | {_excerpt(proof)}")


def _count_hints(place: str, hints: list[tuple[str, _Hint]]) -> Note:
    carriers = Counter(hint.label for _, hint in hints)
    few = most_carriers(len(hints))
    leaks = [(name, hint) for name, hint in hints if hint.is_named and carriers[hint.label] <= few]
    leaks.sort(key=lambda item: not item[1].is_at_once)  # the clearest first

    def share(count: int) -> str:
        return f"{count / len(hints):.1%}"

    at_once = sum(hint.is_at_once for _, hint in leaks)
    named = sum(hint.is_named for _, hint in hints)
    return Note.about(
        f"{place}: {share(len(hints) - carriers[None])} of the statements have a label, and {share(named)} "
        f"of the proofs name it; {share(len(leaks))} name one that at most {few} statements have, "
        f'{share(at_once)} in their first words ("Proof of Theorem 1.3")',
        (f"{name}: {hint.example}" for name, hint in leaks),
    )


def _excerpt(text: str, length: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
