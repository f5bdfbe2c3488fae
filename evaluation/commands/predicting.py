"""What all commands do that make predictions: open the task, decode scores, write, say how to go on."""

import argparse
from dataclasses import replace
from shlex import quote

from ...builder.release.release import open_release
from ..decode import decode
from ..decoding.normalization import normalized_scores
from ..decoding.scores import ScoreSource
from ..prediction_formats import suffix_of
from ..predictions import write_predictions
from ..system import System
from ..task import Task, load_task
from .arguments import chosen_normalization


def open_task(options: argparse.Namespace) -> Task:
    """Open what is to be matched, once the options are known to go together and the name to be possible."""
    suffix_of(options.out)  # before the work, not after it
    chosen_normalization(options)
    return load_task(open_release(options.data), options.split, by_article=options.by_article)


def predict(options: argparse.Namespace, task: Task, source: ScoreSource, system: System) -> None:
    """Decode scores, write the predictions, and say how to score them.

    Args:
        options: Those of `arguments.py`, which have been given to the command.
        task: From `open_task`.
        source: The scores of all pairs.
        system: Who made the scores; normalisation and decoding are added.
    """
    normalization = chosen_normalization(options)
    if normalization is not None:
        source = normalized_scores(source, **normalization)
        system = replace(system, transductive=True, normalization=normalization)
    decoded = decode(source, options.decode, options.top_k)
    system = replace(system, decoding=options.decode, extra={"details": decoded.details})
    write_predictions(options.out, decoded.batches(task.statement_ids, task.proof_ids), system)
    print(f"{options.out} has predictions for {len(task.statement_ids):,} statements; score them with")
    by_article = " --by-article" if options.by_article else ""
    out, data = quote(str(options.out)), quote(str(options.data))
    print(f"proofmatch evaluate {out} --data {data} --split {options.split}{by_article}")
