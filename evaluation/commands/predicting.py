"""What the commands that make predictions share: options, the task to open, decoding and writing."""

import argparse
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from proofmatch.errors import ProofmatchError

from ...builder.release.release import open_release
from ..decode import DECODINGS, decode
from ..decoding.candidates import DEFAULT_K
from ..decoding.normalization import (
    DEFAULT_ROUNDS,
    DEFAULT_TEMPERATURE,
    METHODS,
    SINKHORN,
    normalized_scores,
)
from ..decoding.scores import ScoreSource
from ..predictions import check_predictions_name, write_predictions
from ..system import System
from ..task import Task, load_task
from .arguments import positive, positive_number


def add_prediction_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for decoding scores, and the prediction file to write."""
    add = parser.add_argument
    add(
        "--decode",
        choices=DECODINGS,
        default="local",
        help="rank for each statement; or match one-to-one, over the best candidates or over all pairs",
    )
    add(
        "--top-k",
        type=positive,
        default=DEFAULT_K,
        metavar="K",
        help="candidates per statement, which local decoding lists and global decoding chooses from",
    )
    add(
        "--normalize",
        choices=("none", *METHODS),
        default="none",
        help="normalize the scores over all pairs before ranking, which makes the ranking transductive",
    )
    # No defaults here, so that `_chosen_normalization` can refuse an option that has no effect.
    add(
        "--temperature",
        type=positive_number,
        metavar="T",
        help=f"temperature of --normalize, which divides scores by it (default: {DEFAULT_TEMPERATURE:g})",
    )
    add(
        "--rounds",
        type=positive,
        metavar="N",
        help=f"iterations of --normalize sinkhorn (default: {DEFAULT_ROUNDS})",
    )
    add(
        "--out",
        required=True,
        type=Path,
        metavar="PRED",
        help="predictions: .jsonl, .parquet, .trec or .jsonl.gz, .trec.gz",
    )


def open_task(options: argparse.Namespace) -> Task:
    """Check the options, before any work, and load the split to be matched."""
    check_predictions_name(options.out)
    _chosen_normalization(options)
    return load_task(open_release(options.data), options.split, by_article=options.by_article)


def predict(options: argparse.Namespace, task: Task, source: ScoreSource, system: System) -> None:
    """Decode scores of all pairs, write the predictions, and say how to score them.

    Args:
        options: The options of `add_data_arguments` and `add_prediction_arguments`.
        task: From `open_task`.
        source: The scores.
        system: The system that computed the scores; normalization and decoding are added.
    """
    normalization = _chosen_normalization(options)
    if normalization is not None:
        source = normalized_scores(source, **normalization)
        system = replace(system, transductive=True, normalization=normalization)
    decoded = decode(source, options.decode, options.top_k)
    system = replace(system, decoding=options.decode, extra={**system.extra, "details": decoded.details})
    write_predictions(options.out, decoded.batches(task.statement_ids, task.proof_ids), system)
    print(f"wrote predictions for {len(task.statement_ids):,} statements to {options.out}; score them with")
    by_article = " --by-article" if options.by_article else ""
    gold = " --gold GOLD" if task.gold is None else ""
    out, data = quote(str(options.out)), quote(str(options.data))
    print(f"proofmatch evaluate {out} --data {data} --split {options.split}{by_article}{gold}")


def _chosen_normalization(options: argparse.Namespace) -> dict[str, Any] | None:
    """The arguments of `normalized_scores`, also recorded in the sidecar; None without normalization.

    Options that have no effect together with the others are refused.
    """
    if options.rounds is not None and options.normalize != SINKHORN:
        raise ProofmatchError(
            f"--rounds applies to {SINKHORN} only: give --normalize {SINKHORN}, or leave it out"
        )
    if options.normalize == "none":
        if options.temperature is not None:
            raise ProofmatchError(
                "--temperature applies to normalization only: give --normalize, or leave it out"
            )
        return None
    chosen = {"method": options.normalize, "temperature": options.temperature or DEFAULT_TEMPERATURE}
    if options.normalize == SINKHORN:
        chosen["rounds"] = options.rounds or DEFAULT_ROUNDS
    return chosen
