"""How often a proof names the label of its own statement ("Proof of Theorem 1.3."): an easy hint."""

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
from .evidence import Evidence
from .remarks import EXAMPLES, Finding, Remark, excerpt
from .tables import FAMILIES

_START = 80  # characters in which a statement tells its label, and a proof of whom it is
_PROOF_OF = re.compile(r"\W*(?:\w+\s+)?proof\s+of\b", re.IGNORECASE)


class _Verdict(IntEnum):
    UNLABELLED, LABELLED, NAMED, NAMED_AT_ONCE = range(4)


def check_labels(evidence: Evidence) -> Iterator[Remark]:
    """Count the proofs that name their statement's label."""
    verdicts: dict[str, _Verdict] = {}
    examples: dict[str, str] = {}
    for suffix in FAMILIES:
        config = f"pairs{suffix}"
        yield from evidence.lacking(config)
        for split in SPLITS:
            if evidence.has(config, split) and len(evidence.tables[config, split]):
                ids = evidence.tables[config, split].ids["id"].to_pylist()
                if not verdicts.keys() >= set(ids):  # both families have the same pairs
                    _judge(evidence, config, split, verdicts, examples)
                yield _count(f"{config} {split}", [(verdicts[name], name) for name in ids], examples)


def _judge(
    evidence: Evidence, config: str, split: str, verdicts: dict[str, _Verdict], examples: dict[str, str]
) -> None:
    """Look at the texts of a split."""
    shown = Counter[_Verdict]()
    for identifier, statement, proof in _texts(evidence, config, split):
        verdict = verdicts[identifier] = _verdict(statement, proof)
        shown[verdict] += 1
        if verdict >= _Verdict.NAMED and shown[verdict] <= EXAMPLES:
            examples[identifier] = f"{identifier}: {excerpt(statement, 30)} | {excerpt(proof)}"


def _verdict(statement: str, proof: str) -> _Verdict:
    label = own_label(statement)
    if label is None:
        return _Verdict.UNLABELLED
    if not names_label(proof, label):
        return _Verdict.LABELLED
    at_once = _PROOF_OF.match(proof) and names_label(proof[:_START], label)
    return _Verdict.NAMED_AT_ONCE if at_once else _Verdict.NAMED


def _count(place: str, verdicts: list[tuple[_Verdict, str]], examples: dict[str, str]) -> Finding:
    def share(least: _Verdict) -> str:
        return f"{sum(verdict >= least for verdict, _ in verdicts) / len(verdicts):.1%}"

    named = [item for item in verdicts if item[0] >= _Verdict.NAMED]
    named.sort(key=lambda item: -item[0])  # the clearest first
    return Finding.about(
        f"{place}: {share(_Verdict.LABELLED)} of the statements have a label; {share(_Verdict.NAMED)} of the "
        f'proofs name it, {share(_Verdict.NAMED_AT_ONCE)} at once ("Proof of Theorem 1.3")',
        (examples.get(name, name) for _, name in named),
    )


def _texts(evidence: Evidence, config: str, split: str) -> Iterator[tuple[str, str, str]]:
    for file in evidence.inventory.shards(config, split):
        with pq.ParquetFile(file) as parquet:
            for batch in parquet.iter_batches(batch_size=ROW_GROUP, columns=["id", "statement", "proof"]):
                evidence.tick("search for labels")
                starts = pc.utf8_slice_codeunits(batch["statement"], 0, _START)
                columns = (batch["id"], starts, batch["proof"])
                yield from zip(*(column.fill_null("").to_pylist() for column in columns), strict=True)
