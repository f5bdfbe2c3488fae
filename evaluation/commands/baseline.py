"""`proofmatch baseline`: TF-IDF or Dice similarity → predictions."""

import argparse
from pathlib import Path

from ..task import INPUTS

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
        help="predictions: .jsonl, .jsonl.gz, .parquet, .trec",
    )


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose what is to be matched."""
    parser.add_argument(
        "--data", required=True, metavar="RELEASE", help="a folder, or OWNER/NAME[@REVISION] on the Hub"
    )
    parser.add_argument("--split", default="test", help="train, validation or test")
    parser.add_argument("--by-article", action="store_true", help="the split that keeps articles together")


def add_decoding_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that decide how scores become predictions."""
    parser.add_argument(
        "--decode",
        choices=["local", "global", "exact"],
        default="local",
        help="rank for each statement; or match one-to-one, over the best candidates or over all pairs",
    )
    parser.add_argument("--top-k", type=int, default=500, metavar="K", help="proofs listed for a statement")


def run(options: argparse.Namespace) -> int:
    """Write the predictions."""
    from ..baselines.scores import baseline_scores
    from ..decode import decode
    from ..predictions.system import System
    from ..predictions.writing import write_predictions
    from ..release import open_release
    from ..task import load_task

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
