"""`import_published`: the text files of the published corpus in, release folder out."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from proofmatch import __version__
from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.progress import Progress
from proofmatch.workers import WorkerPool, number_of_workers

from .arrow import read_arrow, strings, with_column, write_arrow
from .engine.run_folder import RunFolder
from .identifiers import pair_id, split_key
from .pair_parts import PartBuilder, PartReport, discarded_table, is_complete, read_columns
from .published_files import PublishedBatch, cut_into_batches, read_articles, read_pairs
from .published_source import (
    BY_ARTICLE,
    SUBSETS,
    SYMBOLS,
    HubPlace,
    LocalPlace,
    PublishedFile,
    Survey,
    TextStream,
    find_files,
    find_place,
)
from .records import Article
from .release.assemble import Contents, assemble_release, make_once
from .release.release import read_manifest
from .release.schema import SPLITS
from .release.splits import SplitPairs, read_indexes, split_by_article, split_pairs
from .settings import OTHER_LICENSE, check_license

_TEXTS = ("statement", "proof", "statement_tokens", "proof_tokens")


def import_published(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    revision: str | None = None,
    symbols: str = "conservation",
    subset: str = "mixed",
    seed: int = 0,
    license: str = OTHER_LICENSE,
    workers: int | None = None,
) -> Path:
    """Make a release from the text files of the published corpus, with their own splits.

    The `mixed` (or `pb`) files become the configurations split by pair, the `unmixed` files those split by
    article. If one of the two is missing, its splits are made by the rules of a build. An interrupted import
    resumes when it is called again; a finished one is left unchanged.

    Args:
        source: A folder with the files, subfolders and archives (`.tar[.gz|.bz2|.xz]`, `.zip`) included, or a
            dataset on the Hub such as `waylonli/MATcH`. Only the necessary files are downloaded.
        out: The release folder.
        revision: A branch, tag or commit of the dataset on the Hub; by default its main branch.
        symbols: Which edition: `conservation` (as the authors wrote), or with symbols replaced in the
            proofs: `partial`, `trans`, `full`.
        subset: `mixed` for all pairs, `pb` for the pairs of articles on probability.
        seed: Salt of the order of the pairs, and of splits that are not published.
        license: The Hub's name of a licence, for the card.
        workers: Number of processes; by default one per CPU.

    Returns:
        The release folder, which `datasets.load_dataset` opens.

    Raises:
        ProofmatchError: If a file is missing or not as published, or the Hub refuses it.
    """
    edition = Edition(symbols, subset, seed, license)
    return import_from(find_place(source, revision), Path(out), edition, workers)


@dataclass(frozen=True, slots=True)
class Edition:
    """What to make from the published files; see `import_published`."""

    symbols: str = "conservation"
    subset: str = "mixed"
    seed: int = 0
    license: str = OTHER_LICENSE

    def __post_init__(self) -> None:
        check_choice("symbols", self.symbols, SYMBOLS)
        check_choice("subset", self.subset, SUBSETS)
        check_license(self.license)


def import_from(
    place: LocalPlace | HubPlace, out: Path, edition: Edition, workers: int | None = None
) -> Path:
    """Do the work of `import_published`, wherever the files are."""
    processes, run = number_of_workers(workers), RunFolder(out, is_complete)
    settings = {"made_by": "import", "proofmatch": __version__, **asdict(edition)}
    if isinstance(place, HubPlace):
        if finished := _finished_parameters(run, place):
            make_once(run, settings | finished, lambda _: None)
            return run.output
        settings |= {"repository": place.repo_id, "revision": place.listing.commit}
    lists: dict[PublishedFile, dict[str, Article]] = {}

    def look_at(file: PublishedFile, stream: TextStream) -> None:
        lists[file] = read_articles(file, stream)
        progress.summary = file.name
        progress.advance()

    with Progress("reading files", "files") as progress:
        survey = find_files(place, edition.symbols, edition.subset, look_at)
        progress.summary = ""
    # From all files, because some have no list; the first one counts, whatever the order in an archive.
    articles = {name: article for file in reversed(survey.files) for name, article in lists[file].items()}
    files = {file.name: survey.sha256[file] for file in survey.files}
    _refuse_other_files(run, files)
    parameters = settings | {"files": files}
    make_once(
        run,
        parameters,
        lambda run: _import(run, survey, articles, parameters, processes),
        # Parts are named by the text they are made from, so a file may be fixed meanwhile.
        settings=settings | {"files": list(files)},
    )
    return run.output


def _refuse_other_files(run: RunFolder, files: dict[str, str]) -> None:
    """Refuse a finished import of files with the same names and another text."""
    manifest = read_manifest(run.output)
    recorded = manifest["parameters"].get("files") if manifest else None
    if isinstance(recorded, dict) and recorded.keys() == files.keys() and recorded != files:
        changed = next(name for name in files if recorded[name] != files[name])
        raise ProofmatchError(
            f"{run.output} holds an import of another {changed}; choose another --out or delete that folder"
        )


def _finished_parameters(run: RunFolder, place: HubPlace) -> dict[str, Any] | None:
    """Return repository, revision and files of a finished import, if any, without asking the Hub.

    Unfinished work fixes the revision, even if the branch has moved since then.
    """
    manifest = read_manifest(run.output)
    recorded = manifest["parameters"] if manifest else run.read_settings() or {}
    revision = str(recorded.get("revision"))
    if recorded.get("repository") != place.repo_id or place.revision not in (None, revision):
        return None
    if manifest is None:
        place.revision = revision
        return None
    return {name: recorded.get(name) for name in ("repository", "revision", "files")}


def _import(
    run: RunFolder, survey: Survey, articles: dict[str, Article], parameters: dict[str, Any], workers: int
) -> None:
    seed = parameters["seed"]
    with run.cleanup_if_empty(), WorkerPool(workers) as pool:
        # The file of each part, in the order in which `run` expects the parts.
        files: list[PublishedFile] = []
        with Progress("reading pairs", "batches") as progress:
            pairs = 0
            batches = run.unfinished(_noting_files(cut_into_batches(survey.files, articles), files))
            for kept in pool.run(partial(_run_batch, parameters=parameters, parts=run.parts), batches):
                pairs += kept
                progress.summary = f"{pairs:,} pairs"
                progress.advance()
            progress.summary = f"{len(files):,} batches of {len(set(files))} files"
        survey.check_unchanged()
        # Archives have the files in an order of their own.
        order = {file: number for number, file in enumerate(survey.files)}
        parts = sorted(zip(run.finished_parts(), files, strict=True), key=lambda item: order[item[1]])
        contents = _contents([part for part, _ in parts], [file for _, file in parts], articles, seed)
        assemble_release(run, contents, parameters, pool)


def _noting_files(
    batches: Iterable[PublishedBatch], files_of_parts: list[PublishedFile]
) -> Iterator[PublishedBatch]:
    for batch in batches:
        files_of_parts.append(batch.file)
        yield batch


def _run_batch(batch: PublishedBatch, parameters: dict[str, Any], parts: Path) -> int:
    """Read all pairs of a batch, write its part, and count them; runs in a worker."""
    part = PartBuilder(parameters["seed"], parameters["license"])
    for article, pair in read_pairs(batch):
        part.add_pairs(batch.file.name, article, [pair])
    part.write(parts / batch.part_name)
    return part.report.pairs_kept


def _contents(
    parts: list[Path], files: list[PublishedFile], articles: dict[str, Article], seed: int
) -> Contents:
    published = _published_splits(parts, files, seed)
    by_article = published.pop(BY_ARTICLE, None)
    mixed = next(iter(published.values()), None)
    if mixed is None and by_article is not None:
        mixed = split_pairs(by_article.index)
    if mixed is None:
        raise ProofmatchError("the published files contain no pairs; download them again")
    by_article = by_article or split_by_article(mixed.index, seed)
    documents = len(articles.keys() | set(mixed.index.column("article_id").to_pylist()))
    report = PartReport(documents, len(mixed.index), len(mixed.index))
    return Contents(mixed, by_article, report, discarded_table([]))


def _published_splits(parts: list[Path], files: list[PublishedFile], seed: int) -> dict[str, SplitPairs]:
    """Read the pairs of each family, with the splits of their files."""
    families: dict[str, list[tuple[Path, int]]] = {}
    for part, file in zip(parts, files, strict=True):
        families.setdefault(file.family, []).append((part, SPLITS.index(file.split)))
    paths = [[part for part, _ in family] for family in families.values()]
    for family in paths:
        _rename_repeated_pairs(family, seed)
    splits = [np.array([split for _, split in family], np.int8) for family in families.values()]
    return {
        name: SplitPairs(index, split[index.numbers("part")])
        for name, index, split in zip(families, read_indexes(paths), splits, strict=True)
    }


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
        "split_key": [split_key(seed, name) for name in names],
    }
    for column, values in changed.items():
        table = with_column(table, column, strings(values))
    return table
