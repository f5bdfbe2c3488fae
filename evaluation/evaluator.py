"""Predictions and a release → the scores of a system."""

from pathlib import Path

from proofmatch import __version__
from proofmatch.storage import sha256_of

from ..builder.release.release import Release, open_release
from .judging import Judgement, judge
from .metrics import (
    MEASURES,
    TIE_RULE,
    Bootstrap,
    count_assignments,
    interval95,
    is_one_to_one,
    measure,
    measure_by_category,
    resampled_means,
    values_by_statement,
)
from .predictions.system import System, read_system
from .result import Dataset, Evaluator, Result
from .task import Task, load_task


def evaluate(
    predictions: str | Path,
    data: str | Path | Release,
    split: str = "test",
    *,
    by_article: bool = False,
    out: str | Path | None = None,
    name: str | None = None,
    input: str | None = None,
    url: str | None = None,
) -> Result:
    """Score a prediction file.

    Args:
        predictions: The file: `.jsonl`, `.jsonl.gz`, `.parquet`, `.trec` or `.trec.gz`.
        data: A release folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split that the predictions are for.
        by_article: Whether it is the split by article.
        out: Where to write the result, if anywhere.
        name: The system's name, in place of what the sidecar says.
        input: What the system sees, `both`, `text` or `math`, in place of what the sidecar says.
        url: Where to read about the system, in place of what the sidecar says.

    Returns:
        The scores, and what they are scores of.

    Raises:
        ProofmatchError: If anything is wrong with the file, with all its faults; nothing is scored then.
    """
    path = Path(predictions)
    system = read_system(path, name=name, input=input, url=url)
    task = load_task(data if isinstance(data, Release) else open_release(data), split, by_article=by_article)
    result = score(judge(path, task), task, system, sha256_of(path))
    if out is not None:
        result.save(Path(out))
    return result


def score(
    judgement: Judgement,
    task: Task,
    system: System,
    predictions_sha256: str,
    bootstrap: Bootstrap | None = None,
) -> Result:
    """Compute the scores of predictions that have been read.

    Args:
        judgement: The rank of each gold proof, and the first choices.
        task: What they are for.
        system: What made the predictions.
        predictions_sha256: The hash of their file.
        bootstrap: How the intervals are made.
    """
    bootstrap = bootstrap or Bootstrap()
    intervals = interval95(resampled_means(values_by_statement(judgement.ranks), bootstrap))
    release = task.release
    return Result(
        system=system,
        dataset=Dataset(release.id, release.revision, release.manifest_sha256, task.config, task.split),
        evaluator=Evaluator(__version__, TIE_RULE, bootstrap),
        predictions_sha256=predictions_sha256,
        n_statements=len(task.statement_ids),
        n_proofs=len(task.proof_ids),
        measures=measure(judgement.ranks),
        ci95=dict(zip(MEASURES, intervals, strict=True)),
        one_to_one=is_one_to_one(judgement.first_choices),
        by_category=measure_by_category(judgement.ranks, task.categories),
        assignment_counts=count_assignments(judgement.first_choices, len(task.proof_ids)),
    )
