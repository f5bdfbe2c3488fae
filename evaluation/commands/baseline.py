"""`proofmatch baseline`: TF-IDF or Dice similarity → predictions."""

import argparse
from pathlib import Path

from ..predictions.formats import suffix_of
from ..task import INPUTS
from .arguments import add_data_arguments, add_decoding_arguments

EXAMPLE = "proofmatch baseline tfidf --data release --split test --input both --out tfidf.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    from ..baselines.scores import BASELINES

    parser.add_argument("name", choices=list(BASELINES), help="which similarity")
    add_data_arguments(parser)
    parser.add_argument("--input", choices=INPUTS, default="both", help="what may be read of the texts")
    add_decoding_arguments(parser)
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="PRED",
        help="predictions: .jsonl, .parquet, .trec or .jsonl.gz, .trec.gz",
    )


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    from ..baselines.scores import baseline_scores
    from ..decode import decode
    from ..predictions.system import System
    from ..predictions.writing import write_predictions
    from ..release import open_release
    from ..task import load_task

    suffix_of(options.out)  # before the work, not after it
    release = open_release(options.data)
    task = load_task(release, options.split, by_article=options.by_article)
    source = baseline_scores(options.name, task, options.input)
    decoded = decode(source, options.decode, options.top_k)
    system = System(
        name=options.name, input=options.input, decoding=options.decode, extra={"details": decoded.details}
    )
    write_predictions(options.out, decoded.batches(task.statement_ids, task.proof_ids), system)
    print(f"{options.out} has predictions for {len(task.statement_ids):,} statements; score them with")
    by_article = " --by-article" if options.by_article else ""
    print(f"proofmatch evaluate {options.out} --data {options.data} --split {options.split}{by_article}")
    return 0
