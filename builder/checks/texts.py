"""Tokens and texts: tokens have the right form; how often a proof names the label of its statement."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions at run time, where a type checker does not see them.)

import re
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum

import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..extraction.pairs import names_label, own_label
from ..release.schema import ROW_GROUP, SPLITS
from .evidence import FAMILIES, Evidence
from .report import EXAMPLES, Fault, Note, Remark

_START = 80  # characters in which a statement has its label, and a proof says what it proves
_PROOF_OF = re.compile(r"\W*(?:\w+\s+)?proof\s+of\b", re.IGNORECASE)


def check_tokens(evidence: Evidence) -> Iterator[Remark]:
    """Report the distinct tokens of a wrong form."""
    for problem, cases in evidence.malformed_tokens.items():
        yield Fault.about(f"{len(cases):,} distinct tokens: {problem}", cases)
    yield Note(f"{len(evidence.vocabulary.tokens):,} distinct tokens")


class _Hint(IntEnum):
    """How much the label of a statement helps to find its proof."""

    UNLABELLED, LABELLED, NAMED, NAMED_AT_ONCE = range(4)


def check_labels(evidence: Evidence) -> Iterator[Remark]:
    """Count the proofs that name their statement's label ("Proof of Theorem 1.3."), an easy hint."""
    hints: dict[str, _Hint] = {}
    examples: dict[str, str] = {}
    for suffix in FAMILIES:
        config = f"pairs{suffix}"
        yield from evidence.unreadable(config)
        for split in SPLITS:
            if evidence.has(config, split) and len(evidence.tables[config, split]):
                ids = evidence.tables[config, split].ids["id"].to_pylist()
                if not hints.keys() >= set(ids):  # both families have the same pairs
                    _read_hints(evidence, config, split, hints, examples)
                yield _count_hints(f"{config} {split}", [(hints[name], name) for name in ids], examples)


def _read_hints(
    evidence: Evidence, config: str, split: str, hints: dict[str, _Hint], examples: dict[str, str]
) -> None:
    """Compare the statements and proofs of a split."""
    shown = Counter[_Hint]()
    for file in evidence.inventory.shards(config, split):
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(batch_size=ROW_GROUP, columns=["id", "statement", "proof"]):
                evidence.tick("search for labels")
                starts = pc.utf8_slice_codeunits(batch["statement"], 0, _START)
                columns = [
                    column.fill_null("").to_pylist() for column in (batch["id"], starts, batch["proof"])
                ]
                for identifier, statement, proof in zip(*columns, strict=True):
                    hint = hints[identifier] = _hint(statement, proof)
                    shown[hint] += 1
                    if hint >= _Hint.NAMED and shown[hint] <= EXAMPLES:
                        examples[identifier] = f"{identifier}: {_excerpt(statement, 30)} | {_excerpt(proof)}"


def _hint(statement: str, proof: str) -> _Hint:
    label = own_label(statement)
    if label is None:
        return _Hint.UNLABELLED
    if not names_label(proof, label):
        return _Hint.LABELLED
    at_once = _PROOF_OF.match(proof) and names_label(proof[:_START], label)
    return _Hint.NAMED_AT_ONCE if at_once else _Hint.NAMED


def _count_hints(place: str, hints: list[tuple[_Hint, str]], examples: dict[str, str]) -> Note:
    def share(least: _Hint) -> str:
        return f"{sum(hint >= least for hint, _ in hints) / len(hints):.1%}"

    named = [item for item in hints if item[0] >= _Hint.NAMED]
    named.sort(key=lambda item: -item[0])  # the clearest first
    return Note.about(
        f"{place}: {share(_Hint.LABELLED)} of the statements have a label; {share(_Hint.NAMED)} of the "
        f'proofs name it, {share(_Hint.NAMED_AT_ONCE)} at once ("Proof of Theorem 1.3")',
        (examples.get(name, name) for _, name in named),
    )


def _excerpt(text: str, length: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
