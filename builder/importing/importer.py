"""`import_published`: the published text files in, release folder out."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import unchanged
from proofmatch.workers import WorkerPool, number_of_workers

from ..engine.run_folder import RunFolder
from ..pair_parts import PartReport, discarded_table
from ..records import Article
from ..release.assemble import Contents, assemble_release
from ..release.complete import make_unless_complete
from ..release.index import read_index
from ..release.schema import SPLITS
from ..release.splits import SplitPairs, split_by_article, split_pairs
from ..settings import OTHER_LICENSE, check_license
from .chunks import Chunk, ChunkCutter
from .files import BY_ARTICLE, SUBSETS, SYMBOLS, PublishedFile, find_files
from .head import read_articles
from .repetitions import tell_repeated_pairs_apart
from .worker import run_chunk, start_worker


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
    article. Where one of the two is missing, its splits are made by the rules of a build. An import that was
    interrupted goes on where it stopped when it is called again.

    Args:
        folder: Where the files are, subfolders included.
        out: The release folder.
        symbols: Which edition: `conservation` (as the authors wrote), or with symbols replaced in the
            proofs: `partial`, `trans`, `full`.
        subset: `mixed` for all pairs, `pb` for those of articles on probability.
        seed: Salt of the order of the pairs, and of splits that are not published.
        license: The Hub's name of a licence, for the card.
        workers: Number of processes; by default one for each processor.

    Returns:
        The release folder, which `datasets.load_dataset` opens.

    Raises:
        ProofmatchError: If files are missing, or a line in one of them is not as it should be.
    """
    if symbols not in SYMBOLS:
        raise ProofmatchError(f"symbols must be one of {', '.join(SYMBOLS)}, not {symbols!r}")
    if subset not in SUBSETS:
        raise ProofmatchError(f"subset must be one of {', '.join(SUBSETS)}, not {subset!r}")
    processes = number_of_workers(workers)
    check_license(license)
    families, release = find_files(Path(folder), symbols, subset), Path(out)
    parameters = {
        "made_by": "import",
        "proofmatch": __version__,
        "files": [file.path.name for files in families.values() for file in files],
        "symbols": symbols,
        "subset": subset,
        "seed": seed,
        "license": license,
    }
    make_unless_complete(
        release, parameters, lambda run: _import(run, families, release, parameters, processes)
    )
    return release


def _import(
    run: RunFolder,
    families: dict[str, list[PublishedFile]],
    release: Path,
    parameters: dict[str, Any],
    workers: int,
) -> None:
    start = parameters["seed"], run.parts, os.getpid()
    with run.removed_if_in_vain(), WorkerPool(workers, start_worker, start) as pool:
        # The file of each part, in the order in which `run` expects the parts.
        files: list[PublishedFile] = []
        every = [file.path for family in families.values() for file in family]
        with unchanged(every), Progress("reading pairs", "chunks") as progress:
            articles, pairs = _known_articles(families), 0
            for kept in pool.run(run_chunk, _unfinished(families, articles, run, files), _give_up):
                pairs += kept
                progress.summary = f"{pairs:,} pairs"
                progress.advance()
            progress.summary = f"{len(files):,} chunks of {len(set(files))} files"
        with Progress("writing tables", "files") as progress:
            contents = _contents(run.finished_parts(), files, articles, parameters["seed"])
            for file in assemble_release(run, release, contents, parameters, pool):
                progress.summary = f"{file.config}, {file.split}"
                progress.advance()
            progress.summary = f"{release}, {contents.report.pairs_kept:,} pairs"
        run.remove()


def _known_articles(families: dict[str, list[PublishedFile]]) -> dict[str, Article]:
    """Collect what the heads of all files tell, because in some of them it is left out."""
    articles: dict[str, Article] = {}
    for files in families.values():
        for file in files:
            articles = read_articles(file) | articles
    return articles


def _unfinished(
    families: dict[str, list[PublishedFile]],
    articles: dict[str, Article],
    run: RunFolder,
    files_of_parts: list[PublishedFile],
) -> Iterator[Chunk]:
    for files in families.values():
        cutter = ChunkCutter(articles)
        for file in files:
            for chunk in cutter.cut(file):
                run.expect(chunk)
                files_of_parts.append(file)
                if not run.is_done(chunk):
                    yield chunk


def _give_up(chunk: Chunk) -> Chunk:
    raise ProofmatchError(
        f"workers died repeatedly while reading {chunk.file.path} near line {chunk.line}, probably for want "
        "of memory; run the same command again with fewer --workers"
    )


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
    tell_repeated_pairs_apart(paths, seed)
    index = read_index(paths)
    split_of_part = np.array([SPLITS.index(file.split) for _, file in parts], dtype=np.int8)
    return SplitPairs(index, split_of_part[index.numbers("part")])
