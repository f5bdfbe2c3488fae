"""`proofmatch export`: write a split in the format of BEIR, which mteb and pyserini read as well.

A BEIR folder has one corpus for all its judgements, and in our task the candidates are the proofs of the
statement's own split. So a folder has one split, and scores on it are scores on the task.
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .arguments import add_split_arguments

if TYPE_CHECKING:
    from ...builder.release.release import Release

EXAMPLE = "proofmatch export release --format beir --split test --out beir-test"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add("release", metavar="RELEASE", help="release folder, or OWNER/NAME[@REVISION] on the Hub")
    add(
        "--format",
        choices=("beir",),
        default="beir",
        help="corpus.jsonl, queries.jsonl and qrels/<split>.tsv",
    )
    add("--out", metavar="DIR", type=Path, required=True, help="folder to make")
    add_split_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Write the folder."""
    from ...builder.release.release import open_release

    release = open_release(options.release)
    count = export_beir(release, options.out, options.split, by_article=options.by_article)
    print(f"{options.out}: {count:,} statements and as many proofs of {options.split}")
    return 0


def export_beir(release: "Release", out: Path, split: str = "test", *, by_article: bool = False) -> int:
    """Write `corpus.jsonl` (proofs), `queries.jsonl` (statements) and `qrels/<split>.tsv` into a new folder.

    Returns:
        The number of statements.
    """
    from proofmatch.storage import atomic_folder

    from ..task import load_task

    task = load_task(release, split, by_article=by_article)
    with atomic_folder(out) as folder:
        proofs = _texts(release, "proof", split, by_article)
        _write_lines(
            folder / "corpus.jsonl", ({"_id": id_, "title": "", "text": text} for id_, text in proofs)
        )
        statements = _texts(release, "statement", split, by_article)
        _write_lines(folder / "queries.jsonl", ({"_id": id_, "text": text} for id_, text in statements))
        (folder / "qrels").mkdir()
        with (folder / "qrels" / f"{split}.tsv").open("w", encoding="utf-8", newline="\n") as file:
            file.write("query-id\tcorpus-id\tscore\n")
            for statement, gold in zip(task.statement_ids, task.required_gold.tolist(), strict=True):
                file.write(f"{statement}\t{task.proof_ids[gold]}\t1\n")
    return len(task.statement_ids)


def _texts(release: "Release", side: str, split: str, by_article: bool) -> Iterator[tuple[str, str]]:
    from ...builder.release.schema import config_name

    table = release.table(config_name(f"{side}s", by_article), split, [f"{side}_id", "text"])
    for batch in table.to_batches(max_chunksize=1024):
        yield from zip(batch[0].to_pylist(), batch[1].to_pylist(), strict=True)


def _write_lines(path: Path, rows: Iterable[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
