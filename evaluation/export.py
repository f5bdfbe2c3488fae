"""A release for other tools: BEIR folders, triplets for sentence-transformers, reranking lists for mteb.

Texts never carry their source. A statement and its proof have the same one, and it names the page that has
both, so a system that reads all fields would find the answers there. Sources are in a table of their own,
beside the answers; a sealed split has neither.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute generates its functions at run time, where type checkers do not see them.)

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.ragged import starts_of
from proofmatch.storage import atomic_folder

from ..builder.release.release import Release
from ..builder.release.schema import CARD, DATA, ROW_GROUP, config_name, shard_name
from ..dataset_card.templates import render
from .baselines import baseline_scores, bm25_scores, choose_ngrams
from .decoding.candidates import best_candidates
from .task import Task, load_task

DEFAULT_NEGATIVES = 3
TOP_RANKED = 100

_HELD_OUT = ("validation", "test")
_POOL = 2**14  # proofs among which negatives are searched, so that time and memory stay linear in the pairs
_SPARE = 16  # additional candidates, because some are not wrong
_GROUPS_PER_SHARD = 32  # row groups of a Parquet file


def export_beir(release: Release, out: Path, split: str = "test", *, by_article: bool = False) -> int:
    """Write `corpus.jsonl` (proofs), `queries.jsonl` (statements) and `qrels/<split>.tsv` into a new folder.

    A BEIR folder has one corpus for all its judgements, and in our task the candidates are the proofs of the
    statement's own split. So a folder has one split, and scores on it are scores on the task.

    Returns:
        The number of statements.
    """
    task = load_task(release, split, by_article=by_article)
    judgements = _judgements(task)
    with atomic_folder(out) as folder:
        _write_lines(folder / "corpus.jsonl", _texts(task, "proof"))
        _write_lines(folder / "queries.jsonl", _texts(task, "statement"))
        (folder / "qrels").mkdir()
        with (folder / "qrels" / f"{split}.tsv").open("w", encoding="utf-8", newline="\n") as file:
            file.write("\t".join(judgements.column_names) + "\n")
            file.writelines("\t".join(map(str, row.values())) + "\n" for row in judgements.to_pylist())
        sources = _sources(task)
        if sources is not None:
            _write_lines(folder / "sources.jsonl", sources)
    return len(task.statement_ids)


def export_triplets(
    release: Release,
    out: Path,
    *,
    by_article: bool = False,
    negatives: int = DEFAULT_NEGATIVES,
    seed: int = 0,
    ngrams: int | None = None,
) -> int:
    """Write rows of a statement, its proof and a wrong proof, from the training split, into a new folder.

    `load_dataset(out)` has the columns `anchor`, `positive` and `negative`, in the order that the losses of
    sentence-transformers expect. The config `provenance` has the ids and sources of the same rows.

    Args:
        release: The release.
        out: The folder to make.
        by_article: Whether it is the split by article.
        negatives: The maximum number of rows per pair; see `mine_triplets`.
        seed: Equal seeds give equal rows.
        ngrams: The longest n-grams of BM25, by default the best on the validation split.

    Returns:
        The number of rows.
    """
    ngrams = ngrams or choose_ngrams(release, by_article=by_article).ngrams
    pairs = _training_pairs(release, by_article)
    generator = np.random.default_rng(seed)
    triplets = mine_triplets(pairs, negatives, ngrams, generator)
    if not len(triplets.pairs):
        raise ProofmatchError(f"the training split of {release.id} has no wrong proofs to choose from")
    order = generator.permutation(len(triplets.pairs))
    groups = [order[start : start + ROW_GROUP] for start in range(0, len(order), ROW_GROUP)]
    tables = {
        "triplets": (_triplet_texts(pairs, triplets, group) for group in groups),
        "provenance": (_triplet_provenance(pairs, triplets, group, release.provenance) for group in groups),
    }
    with atomic_folder(out) as folder:
        written = [
            _write_table(folder, config, "train", parts, len(groups)) for config, parts in tables.items()
        ]
        text = render(
            "triplets.md.jinja",
            release=release.id,
            split="the training split by article" if by_article else "the training split",
            rows=len(order),
            pairs=len(np.unique(triplets.pairs)),
            from_article=np.count_nonzero(triplets.from_article),
            ngrams=ngrams,
            pool=_POOL,
            seed=seed,
            has_sources=bool(release.provenance),
            count="{:,}".format,
        )
        _write_card(folder, release, written, text)
    return len(order)


@dataclass(frozen=True, slots=True)
class Triplets:
    """Pairs, each with the proof of another pair, by their rows in a table of pairs."""

    pairs: np.ndarray  # the row of a statement and its proof, (triplets)
    negatives: np.ndarray  # the row of the wrong proof, (triplets)
    from_article: np.ndarray  # whether the wrong proof was drawn from the same article, (triplets)


def mine_triplets(pairs: pa.Table, negatives: int, ngrams: int, generator: np.random.Generator) -> Triplets:
    """Find wrong proofs that are hard to tell from the right one.

    If two or more are wanted, one is a random proof of the same article, if there is one; the others are the
    best wrong proofs by BM25. A proof counts as wrong if both its text and the text of its statement differ
    from the pair's. BM25 searches all proofs or, if there are many, those of a random part of the pairs.

    Args:
        pairs: A training split, with its texts and tokens.
        negatives: The maximum number of wrong proofs per pair.
        ngrams: The longest n-grams of BM25.
        generator: Draws the proofs of the same article, and the parts.
    """
    # Equal texts have equal numbers.
    statement, proof, article = (
        pairs[name].combine_chunks().dictionary_encode().indices.to_numpy()
        for name in ("statement", "proof", "article_id")
    )
    by_article = np.argsort(article, kind="stable")
    starts = starts_of(np.bincount(article))
    tokens = [pairs[f"{side}_tokens"].combine_chunks() for side in ("statement", "proof")]
    found: list[tuple[int, int, bool]] = []
    n_pools = ceil(len(pairs) / _POOL)
    pools = np.array_split(generator.permutation(len(pairs)), n_pools) if n_pools else []
    with Progress("finding wrong proofs", "pairs", len(pairs)) as progress:
        for pool in pools:
            statements, proofs = (side.take(pa.array(pool)) for side in tokens)
            scores = bm25_scores(statements, proofs, ngrams)
            best = best_candidates(scores, negatives + _SPARE)
            for row, columns in zip(pool.tolist(), np.split(best.columns, best.starts[1:-1]), strict=True):
                members = by_article[starts[article[row]] : starts[article[row] + 1]]
                neighbours = members[generator.integers(len(members), size=_SPARE)] if negatives > 1 else ()
                chosen: dict[int, tuple[int, int, bool]] = {}  # by the number of the proof's text
                for others, most in ((neighbours, 1), (pool[columns], negatives)):
                    for other in others:
                        is_wrong = proof[other] != proof[row] and statement[other] != statement[row]
                        if is_wrong and len(chosen) < most:
                            chosen.setdefault(proof[other], (row, int(other), others is neighbours))
                found += chosen.values()
                progress.advance()
    right, wrong, is_neighbour = zip(*found, strict=True) if found else ((), (), ())
    return Triplets(np.array(right, int), np.array(wrong, int), np.array(is_neighbour, bool))


def _training_pairs(release: Release, by_article: bool) -> pa.Table:
    """Read the training split without the pairs whose statement or proof is also in another split."""
    config = config_name("pairs", by_article)
    columns = [
        "statement_id",
        "proof_id",
        "article_id",
        "statement",
        "proof",
        "statement_tokens",
        "proof_tokens",
    ]
    pairs = release.table(config, "train", [*columns, *release.provenance])
    rows = release.statistics["rows"]
    for side in ("statement", "proof"):
        table = config_name(f"{side}s", by_article)
        for split in (split for split in _HELD_OUT if rows[table].get(split)):
            held_out = release.table(table, split, ["text"])["text"].combine_chunks()
            pairs = pairs.filter(pc.invert(pc.is_in(pairs[side], value_set=held_out)))
    return pairs


def _triplet_texts(pairs: pa.Table, triplets: Triplets, group: np.ndarray) -> pa.Table:
    right, wrong = (pairs.take(pa.array(rows[group])) for rows in (triplets.pairs, triplets.negatives))
    return pa.table({"anchor": right["statement"], "positive": right["proof"], "negative": wrong["proof"]})


def _triplet_provenance(
    pairs: pa.Table, triplets: Triplets, group: np.ndarray, columns: list[str]
) -> pa.Table:
    right, wrong = (pairs.take(pa.array(rows[group])) for rows in (triplets.pairs, triplets.negatives))
    chosen_by = np.where(triplets.from_article[group], "article", "bm25")
    return pa.table(
        {
            **{name: right[name] for name in ("statement_id", "proof_id", *columns)},
            "negative_id": wrong["proof_id"],
            **{f"negative_{name}": wrong[name] for name in columns},
            "negative_chosen_by": pa.array(chosen_by, pa.string()),
        }
    )


def export_top_ranked(
    release: Release, out: Path, *, by_article: bool = False, ngrams: int | None = None
) -> dict[str, float | None]:
    """Write the 100 best proofs for each statement of validation and test by BM25, for reranking.

    The configs are those of mteb's reranking tasks: `corpus`, `queries`, `qrels` and `top_ranked`. A list has
    only what BM25 found: a gold proof that it missed is not added, because its position would reveal it.

    Args:
        release: The release.
        out: The folder to make.
        by_article: Whether to use the splits by article.
        ngrams: The longest n-grams of BM25, by default the best on the validation split.

    Returns:
        For each split the share of statements whose list has the gold proof, None if the split is sealed.
    """
    ngrams = ngrams or choose_ngrams(release, by_article=by_article).ngrams
    tasks = [load_task(release, split, by_article=by_article) for split in _HELD_OUT]
    # If a config has a single split, mteb uses it for every split: one split's judgements would serve both.
    is_open = all(task.gold is not None for task in tasks)
    written: list[_Written] = []
    found: dict[str, float | None] = {}
    with atomic_folder(out) as folder, Progress("ranking proofs", "splits", len(tasks)) as progress:
        for task in tasks:
            best = best_candidates(baseline_scores("bm25", task, ngrams=ngrams), TOP_RANKED)
            lists = pa.ListArray.from_arrays(
                pa.array(best.starts, pa.int32()), pa.array(task.proof_ids).take(pa.array(best.columns))
            )
            tables = {
                "top_ranked": pa.table({"query-id": task.statement_ids, "corpus-ids": lists}),
                "corpus": _texts(task, "proof"),
                "queries": _texts(task, "statement"),
            }
            if is_open:
                tables["qrels"] = _judgements(task)
                sources = _sources(task)
                if sources is not None:
                    tables["sources"] = sources
            for config, table in tables.items():
                groups = [table.slice(start, ROW_GROUP) for start in range(0, len(table), ROW_GROUP)]
                written.append(_write_table(folder, config, task.split, groups, len(groups)))
            found[task.split] = None
            if task.gold is not None:
                found[task.split] = np.count_nonzero(best.columns == task.gold[best.rows]) / len(task.gold)
            progress.advance()
        text = render(
            "top_ranked.md.jinja",
            release=release.id,
            splits="the validation and test splits" + (" by article" if by_article else ""),
            top=TOP_RANKED,
            ngrams=ngrams,
            shares={split: share for split, share in found.items() if share is not None},
            is_open=is_open,
            has_sources=any(table.config == "sources" for table in written),
            percent="{:.1%}".format,
        )
        _write_card(folder, release, written, text)
    return found


def _texts(task: Task, side: str) -> pa.Table:
    """The ids and texts of a split's statements or proofs, with the columns of BEIR and mteb."""
    columns = [f"{side}_id", "text"]
    table = task.release.table(config_name(f"{side}s", task.by_article), task.split, columns)
    table = table.rename_columns(["_id", "text"])
    if side == "statement":
        return table
    return table.add_column(1, "title", pa.array([""] * len(table)))


def _judgements(task: Task) -> pa.Table:
    proofs = pa.array(task.proof_ids).take(pa.array(task.required_gold))
    ones = np.ones(len(proofs), np.int32)
    return pa.table({"query-id": task.statement_ids, "corpus-id": proofs, "score": ones})


def _sources(task: Task) -> pa.Table | None:
    """The source and licence of each pair, None if the release has none."""
    columns = task.release.provenance
    if not columns:
        return None
    table = task.release.table(task.config, task.split, ["statement_id", *columns])
    return table.rename_columns(["_id", *columns]).sort_by("_id")


def _write_lines(path: Path, table: pa.Table) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for batch in table.to_batches(max_chunksize=1024):
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())


@dataclass(frozen=True, slots=True)
class _Written:
    """The Parquet files of one split of a config."""

    config: str
    split: str
    rows: int
    arrow_bytes: int
    file_bytes: int


def _write_table(
    folder: Path, config: str, split: str, groups: Iterable[pa.Table], n_groups: int
) -> _Written:
    """Write row groups into as many Parquet files as they need."""
    place = folder / DATA / config
    place.mkdir(parents=True, exist_ok=True)
    total, remaining = ceil(n_groups / _GROUPS_PER_SHARD), iter(groups)
    rows = arrow_bytes = file_bytes = 0
    for number in range(total):
        part = list(islice(remaining, _GROUPS_PER_SHARD))
        path = place / shard_name(split, number, total)
        with pq.ParquetWriter(path, part[0].schema, compression="zstd") as file:
            for group in part:
                file.write_table(group)
                rows, arrow_bytes = rows + len(group), arrow_bytes + group.nbytes
        file_bytes += path.stat().st_size
    return _Written(config, split, rows, arrow_bytes, file_bytes)


def _write_card(folder: Path, release: Release, tables: Sequence[_Written], text: str) -> None:
    """Write the card, which tells `datasets` where the configs are; the first is the default."""
    from huggingface_hub import DatasetCard, DatasetCardData

    known = DatasetCard.load(release.path(CARD)).data.to_dict()
    license_ = {name: value for name, value in known.items() if name.startswith("license")}
    by_config: dict[str, list[_Written]] = {}
    for table in tables:
        by_config.setdefault(table.config, []).append(table)
    configs = [
        {
            "config_name": config,
            "data_files": [
                {"split": table.split, "path": f"{DATA}/{config}/{table.split}-*.parquet"}
                for table in written
            ],
        }
        for config, written in by_config.items()
    ]
    configs[0]["default"] = True
    # The cache of `datasets` distinguishes folders of the same name by these sizes.
    sizes = [
        {
            "config_name": config,
            "splits": [
                {"name": table.split, "num_bytes": table.arrow_bytes, "num_examples": table.rows}
                for table in written
            ],
            "download_size": sum(table.file_bytes for table in written),
            "dataset_size": sum(table.arrow_bytes for table in written),
        }
        for config, written in by_config.items()
    ]
    data = DatasetCardData(
        **license_, language=["en"], tags=["mathematics"], configs=configs, dataset_info=sizes
    )
    (folder / CARD).write_text(f"---\n{data.to_yaml()}\n---\n\n{text}", encoding="utf-8")
