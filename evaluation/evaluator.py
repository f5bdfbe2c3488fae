"""Predictions and a release → the scores of a system. This is the only place where predictions are ranked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from ..builder.release.release import Release, open_release
from .decoding.scores import ScoreSource, map_blocks
from .metrics import (
    MEASURES,
    NO_RANK,
    TIE_RULE,
    Bootstrap,
    Measures,
    count_assignments,
    interval95,
    is_one_to_one,
    measure,
    measure_by_category,
    rank_of_gold,
    rank_of_gold_in_block,
    resampled_means,
    see_decoding,
    values_by_statement,
)
from .predictions import NumberedBatch, PredictionReader, read_predictions
from .python_predictions import read_objects
from .result import Dataset, Evaluator, Result, check_result_name
from .system import System, read_system
from .task import Task, load_task
from .training_data import may_have_seen, refusal

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Ranking:
    """Where the gold proofs rank, in the order of the statements."""

    ranks: np.ndarray  # rank of the gold proof from 1, `NO_RANK` where it is not listed, (statements)
    first_choices: np.ndarray  # number of the first listed proof, (statements)
    longest: int  # number of proofs in the longest list


def evaluate(
    predictions: "str | Path | Mapping[str, Any] | pd.DataFrame | npt.ArrayLike",
    release: str | Path | Release,
    split: str = "test",
    *,
    statement_ids: Sequence[str] | None = None,
    proof_ids: Sequence[str] | None = None,
    by_article: bool = False,
    gold: str | Path | None = None,
    out: str | Path | None = None,
    name: str | None = None,
    input: str | None = None,
    url: str | None = None,
    allow_seen: bool = False,
) -> Result:
    """Score predictions.

    Args:
        predictions: A file (`.jsonl`, `.jsonl.gz`, `.parquet`, `.trec` or `.trec.gz`); or
            `{statement_id: [proof_id, …]}`, best first; or `{statement_id: {proof_id: score}}`; or a
            DataFrame with `statement_id`, `proof_id` and `score` or `rank`, or with `statement_id`,
            `proof_ids` and maybe `scores`; or a matrix of scores, (statements, proofs).
        release: A release, its folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split that the predictions are for, or `all`.
        statement_ids: The statements of the rows of a matrix.
        proof_ids: The proofs of the columns of a matrix.
        by_article: Whether to use the split by article.
        gold: The answers of a sealed release, from `proofmatch seal`.
        out: Where to write the result; None to write no file.
        name: The system's name, in place of the sidecar's.
        input: What the system uses, `both`, `text` or `math`, in place of the sidecar's.
        url: Where to read about the system, in place of the sidecar's.
        allow_seen: Whether to score a system that may have seen the answers; the result says so.

    Raises:
        ProofmatchError: If the predictions have any fault, with the first faults and their number; nothing is
            scored then.

    Example:
        >>> evaluate({"s-1f…": ["p-9a…", "p-07…"]}, "release").scores["mrr"]  # doctest: +SKIP
    """
    if out is not None:
        check_result_name(Path(out))
    is_file = isinstance(predictions, str | Path)
    if is_file:
        system = read_system(Path(predictions), name=name, input=input, url=url)
    else:
        system = System(name or "predictions", input=input, url=url)
    release = release if isinstance(release, Release) else open_release(release)
    task = load_task(release, split, by_article=by_article, gold=gold)
    if is_file:
        if not allow_seen:
            refuse_seen(Path(predictions), system, task)
        reader = read_predictions(Path(predictions), task)
    else:
        reader = read_objects(predictions, task, statement_ids, proof_ids)
    result = _evaluate_reader(reader, task, system)
    if out is not None:
        result.save(Path(out))
    return result


def evaluate_file(path: Path, task: Task, system: System, progress: Progress | None = None) -> Result:
    """Score a prediction file on a task; memory does not grow with the lengths of its lists."""
    return _evaluate_reader(read_predictions(path, task, progress), task, system)


def _evaluate_reader(predictions: PredictionReader, task: Task, system: System) -> Result:
    ranking = rank_predictions(predictions, task.required_gold)
    return make_result(ranking, task, system, predictions.sha256)


def measure_by_trec_rule(path: Path, task: Task) -> Measures:
    """Score a prediction file with the tie rule of trec_eval and mteb, to compare with their figures.

    Among equal scores, the proof whose id is later in the alphabet comes first.
    """
    order = np.empty(len(task.proof_ids), dtype=np.int64)
    order[np.argsort(np.array(task.proof_ids, dtype=object))] = np.arange(len(order))
    ranking = rank_predictions(read_predictions(path, task), task.required_gold, order)
    return measure(ranking.ranks)


def refuse_seen(predictions: Path, system: System, task: Task) -> None:
    """Refuse predictions whose sidecar says that the system may have seen the answers.

    Raises:
        ProofmatchError: If the sidecar says so.
    """
    entries, seen = system.training_entries, system.seen_answers
    if may_have_seen(entries, seen, task):
        raise ProofmatchError(refusal(f"the system of {predictions}", entries or (), seen, task))


def rank_predictions(
    source: Iterable[NumberedBatch] | ScoreSource, gold: np.ndarray, tie_order: np.ndarray | None = None
) -> Ranking:
    """Rank the gold proof of each statement.

    Args:
        source: The rows of a prediction file, a batch at a time, or the scores of all pairs.
        gold: The number of each statement's gold proof, (statements).
        tie_order: Another tie rule for rows, see `rank_of_gold`.
    """
    if not isinstance(source, Iterable):
        return _rank_scores(source, gold)
    ranks = np.full(len(gold), NO_RANK, dtype=np.int64)
    first_choices = np.zeros(len(gold), dtype=np.int64)
    longest = 0
    for batch in source:
        rows = batch.statements
        ranks[rows] = rank_of_gold(batch.proofs, batch.scores, gold[rows], tie_order)
        first_choices[rows] = batch.proofs.values[batch.proofs.starts[:-1]]
        longest = max(longest, int(batch.proofs.lengths.max()))
    return Ranking(ranks, first_choices, longest)


def _rank_scores(source: ScoreSource, gold: np.ndarray) -> Ranking:
    def rank_block(start: int, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return rank_of_gold_in_block(block, gold[start : start + len(block)]), block.argmax(axis=1)

    ranks, first_choices = zip(*map_blocks(source, rank_block), strict=True)
    return Ranking(np.concatenate(ranks), np.concatenate(first_choices), source.shape[1])


def make_result(ranking: Ranking, task: Task, system: System, predictions_sha256: str) -> Result:
    """Compute the scores of predictions that have been ranked."""
    bootstrap = Bootstrap()
    intervals = interval95(resampled_means(values_by_statement(ranking.ranks), bootstrap))
    release = task.release
    return Result(
        system=system,
        dataset=Dataset(release.id, release.revision, release.manifest_sha256, task.config, task.split),
        evaluator=Evaluator(__version__, TIE_RULE, bootstrap),
        predictions_sha256=predictions_sha256,
        n_statements=len(task.statement_ids),
        n_proofs=len(task.proof_ids),
        measures=measure(ranking.ranks),
        ci95=dict(zip(MEASURES, intervals, strict=True)),
        one_to_one=is_one_to_one(ranking.first_choices),
        decoding_seen=see_decoding(ranking.first_choices, task.required_gold, ranking.longest),
        by_category=measure_by_category(ranking.ranks, task.categories),
        assignment_counts=count_assignments(ranking.first_choices, len(task.proof_ids)),
        allow_seen=may_have_seen(system.training_entries, system.seen_answers, task),
        ranks=ranking.ranks,
        first_choices=ranking.first_choices,
    )
