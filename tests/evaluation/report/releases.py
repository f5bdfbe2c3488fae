"""Handwritten releases and predictions, for pages whose every word is known in advance."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from proofmatch.builder.release.release import write_manifest
from tests.evaluation.tasks import write_lines


@dataclass(frozen=True)
class Pair:
    """A statement and its proof; formulas are between dollars."""

    statement: str
    proof: str
    category: str | None = "math.AG"
    title: str | None = "On toys"
    kind: str = "lemma"
    article: str = "toys.1"
    source: str | None = None


def tokens_of(text: str) -> list[str]:
    """Words as text, and the letters of formulas as math."""
    tokens = []
    for place, part in enumerate(re.split(r"(?<!\\)\$", text)):
        if place % 2:
            tokens += [f"m:{letter}" for letter in part if not letter.isspace()]
        else:
            tokens += [f"t:{word}" for word in part.split()]
    return tokens


def write_release(folder: Path, pairs: Sequence[Pair], spare_proofs: Sequence[str] = ()) -> Path:
    """Write a release with the test split of both configurations: statements s0, s1, …, proofs p0, p1, …

    Args:
        folder: Where to.
        pairs: What belongs together.
        spare_proofs: Proofs of statements that are not there.
    """
    numbered = [(f"s{number}", f"p{number}", pair) for number, pair in enumerate(pairs)]
    columns = {
        "id": [f"{pair.article}#{number}" for number, pair in enumerate(pairs)],
        "statement_id": [statement for statement, _, _ in numbered],
        "proof_id": [proof for _, proof, _ in numbered],
        "article_id": [pair.article for pair in pairs],
        "title": [pair.title for pair in pairs],
        "primary_category": [pair.category for pair in pairs],
        "kind": [pair.kind for pair in pairs],
        "source": [pair.source for pair in pairs],
    }
    texts = {
        "statement": {statement: pair.statement for statement, _, pair in numbered},
        "proof": {proof: pair.proof for _, proof, pair in numbered}
        | {f"p{len(pairs) + number}": proof for number, proof in enumerate(spare_proofs)},
    }
    strings = pa.schema([(name, pa.string()) for name in columns])
    for suffix in ("", "_by_article"):
        _write(folder / f"data/pairs{suffix}", pa.table(columns, strings))
        for side, found in texts.items():
            rows = {
                f"{side}_id": list(found),
                "text": list(found.values()),
                "tokens": pa.array([tokens_of(text) for text in found.values()], pa.list_(pa.string())),
            }
            # Neither in the order of the pairs nor in one another's.
            order = sorted(range(len(found)), key=lambda at: hash_of(f"{side}{at}"))
            _write(folder / f"data/{side}s{suffix}", pa.table(rows).take(pa.array(order)))
    write_manifest(folder, {}, {})
    return folder


def hash_of(text: str) -> int:
    return int.from_bytes(text.encode(), "big") * 7919 % 10_007


def _write(folder: Path, table: pa.Table) -> None:
    folder.mkdir(parents=True)
    pq.write_table(table, folder / "test-00000-of-00001.parquet")


def predict(path: Path, lists: dict[int, dict[int, float] | list[int]], **system: str) -> Path:
    """Write predictions: for each statement's number those of proofs with their scores, or without."""
    rows = []
    for statement, listed in lists.items():
        row: dict[str, object] = {
            "statement_id": f"s{statement}",
            "proof_ids": [f"p{proof}" for proof in listed],
        }
        if isinstance(listed, dict):
            row["scores"] = list(listed.values())
        rows.append(row)
    if system:
        path.with_name(f"{path.name}.system.json").write_text(json.dumps(system))
    return write_lines(path, rows)
