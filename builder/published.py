"""`import_published`: the text files of the published corpus in, release folder out."""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from proofmatch import __version__
from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.progress import Progress
from proofmatch.storage import unchanged
from proofmatch.workers import WorkerPool, number_of_workers

from .arrow import read_arrow, strings, with_column, write_arrow
from .engine.run_folder import RunFolder
from .identifiers import pair_id, proof_id, split_key, statement_id
from .pair_parts import PartBuilder, PartReport, discarded_table, is_complete, read_columns
from .published_files import (
    BY_ARTICLE,
    SUBSETS,
    SYMBOLS,
    PublishedBatch,
    PublishedFile,
    cut_into_batches,
    find_files,
    read_articles,
    read_pairs,
)
from .records import Article
from .release.assemble import Contents, assemble_release, make_once
from .release.schema import SPLITS
from .release.splits import SplitPairs, read_index, split_by_article, split_pairs
from .settings import OTHER_LICENSE, check_license

_TEXTS = ("statement", "proof", "statement_tokens", "proof_tokens")

_Families = dict[str, list[PublishedFile]]


def import_published(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    symbols: str = "conservation",
    subset: str = "mixed",
    seed: int = 0,
    license: str = OTHER_LICENSE,
    workers: int | None = None,
) -> Path:
    """Make a release from the text files of the published corpus, with their own splits.

    The `mixed` (or `pb`) files become the configurations split by pair, the `unmixed` files those split by
    article. If one of the two is missing, its splits are made by the rules of a build. An interrupted import
    resumes when it is called again.

    Args:
        folder: Where the files are, subfolders included.
        out: The release folder.
        symbols: Which edition: `conservation` (as the authors wrote), or with symbols replaced in the
            proofs: `partial`, `trans`, `full`.
        subset: `mixed` for all pairs, `pb` for those of articles on probability.
        seed: Salt of the order of the pairs, and of splits that are not published.
        license: The Hub's name of a licence, for the card.
        workers: Number of processes; by default one per CPU.

    Returns:
        The release folder, which `datasets.load_dataset` opens.
    """
    check_choice("symbols", symbols, SYMBOLS)
    check_choice("subset", subset, SUBSETS)
    processes = number_of_workers(workers)
    check_license(license)
    families, run = find_files(Path(folder), symbols, subset), RunFolder(Path(out), is_complete)
    parameters = {
        "made_by": "import",
        "proofmatch": __version__,
        "files": [file.path.name for files in families.values() for file in files],
        "symbols": symbols,
        "subset": subset,
        "seed": seed,
        "license": license,
    }
    make_once(run, parameters, lambda run: _import(run, families, parameters, processes))
    return run.output


def _import(run: RunFolder, families: _Families, parameters: dict[str, Any], workers: int) -> None:
    seed = parameters["seed"]
    with run.cleanup_if_empty(), WorkerPool(workers) as pool:
        # The file of each part, in the order in which `run` expects the parts.
        files: list[PublishedFile] = []
        paths = [file.path for family in families.values() for file in family]
        with unchanged(paths), Progress("reading pairs", "batches") as progress:
            articles, pairs = _known_articles(families), 0
            batches = run.unfinished(_batches(families, articles, files))
            for kept in pool.run(partial(_run_batch, seed=seed, parts=run.parts), batches):
                pairs += kept
                progress.summary = f"{pairs:,} pairs"
                progress.advance()
            progress.summary = f"{len(files):,} batches of {len(set(files))} files"
        contents = _contents(run.finished_parts(), files, articles, seed)
        assemble_release(run, contents, parameters, pool)


def _known_articles(families: _Families) -> dict[str, Article]:
    """Collect the articles of all files, because some files have no list."""
    articles: dict[str, Article] = {}
    for files in families.values():
        for file in files:
            articles = read_articles(file) | articles
    return articles


def _batches(
    families: _Families, articles: dict[str, Article], files_of_parts: list[PublishedFile]
) -> Iterator[PublishedBatch]:
    for files in families.values():
        for batch in cut_into_batches(files, articles):
            files_of_parts.append(batch.file)
            yield batch


def _run_batch(batch: PublishedBatch, seed: int, parts: Path) -> int:
    """Read all pairs of a batch, write its part, and count them; runs in a worker."""
    part = PartBuilder(seed)
    for article, pair in read_pairs(batch):
        part.add_pairs(batch.file.path.name, article, [pair])
    part.write(parts / batch.part_name)
    return part.report.pairs_kept


def _contents(
    parts: list[Path], files: list[PublishedFile], articles: dict[str, Article], seed: int
) -> Contents:
    published = {
        family: _published_split(
            [(part, file) for part, file in zip(parts, files, strict=True) if file.family == family], seed
        )
        for family in dict.fromkeys(file.family for file in files)
    }
    by_article = published.pop(BY_ARTICLE, None)
    mixed = next(iter(published.values()), None)
    if mixed is None and by_article is not None:
        mixed = split_pairs(by_article.index)
    if mixed is None:
        raise ProofmatchError("the published files have no pair; download them again")
    by_article = by_article or split_by_article(mixed.index, seed)
    documents = len(articles.keys() | set(mixed.index.column("article_id").to_pylist()))
    report = PartReport(documents, len(mixed.index), len(mixed.index))
    return Contents(mixed, by_article, report, discarded_table([]))


def _published_split(parts: list[tuple[Path, PublishedFile]], seed: int) -> SplitPairs:
    paths = [part for part, _ in parts]
    _rename_repeated_pairs(paths, seed)
    index = read_index(paths)
    split_of_part = np.array([SPLITS.index(file.split) for _, file in parts], dtype=np.int8)
    return SplitPairs(index, split_of_part[index.numbers("part")])


def _rename_repeated_pairs(parts: Iterable[Path], seed: int) -> None:
    """Make the ids of a family unique: equal pairs are numbered, in the order of the parts.

    Workers derive an id from the pair's content and do not know the other parts. Parts with repeated pairs
    are rewritten; after an interruption, pairs that were already renamed keep their ids.
    """
    seen: set[str] = set()
    for path in parts:
        new_names: dict[int, str] = {}
        for row, name in enumerate(read_columns(path, {"id"})["id"].to_pylist()):
            if name in seen:
                name = new_names[row] = _unused_name(read_arrow(path).slice(row, 1).to_pylist()[0], seen)
            seen.add(name)
        if new_names:
            write_arrow(_renamed(read_arrow(path), new_names, seed), path)


def _unused_name(row: dict[str, str], seen: set[str]) -> str:
    occurrence = 1
    texts = [row[name] for name in _TEXTS]
    while (name := pair_id(row["article_id"], occurrence, *texts)) in seen:
        occurrence += 1
    return name


def _renamed(table: pa.Table, new_names: dict[int, str], seed: int) -> pa.Table:
    old_names: list[str] = table["id"].to_pylist()  # pyright: ignore[reportAssignmentType] - no nulls
    names = [new_names.get(row, name) for row, name in enumerate(old_names)]
    changed = {
        "id": names,
        "statement_id": [statement_id(name) for name in names],
        "proof_id": [proof_id(name) for name in names],
        "split_key": [split_key(seed, name) for name in names],
    }
    for column, values in changed.items():
        table = with_column(table, column, strings(values))
    return table
