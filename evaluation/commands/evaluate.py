"""`proofmatch evaluate`: score predictions."""

import argparse
import sys
from pathlib import Path

from proofmatch.errors import ProofmatchError, printable
from proofmatch.progress import Progress

from ..task import INPUTS
from .arguments import add_data_arguments, add_gold_argument

EXAMPLE = "proofmatch evaluate predictions.jsonl --data release --split test --out result.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add(
        "predictions",
        metavar="PRED",
        type=Path,
        help="prediction file: .jsonl, .jsonl.gz, .parquet, or a TREC run .trec, .trec.gz",
    )
    add_data_arguments(parser)
    add_gold_argument(parser)
    add("--out", metavar="FILE", type=Path, help="where to write the result, such as result.json")
    add("--against", metavar="PRED2", type=Path, help="other predictions, to print the paired differences")
    add(
        "--ties",
        choices=("gold-last", "trec"),
        default="gold-last",
        help="trec also prints the scores with the tie rule of trec_eval and mteb, to compare with theirs",
    )
    add("--name", help="the system's name, instead of the sidecar's")
    add("--input", choices=INPUTS, help="which part of a text the system reads")
    add("--url", help="where to read about the system")
    add("--allow-seen", action="store_true", help="score a system that may have seen the answers in training")


def run(options: argparse.Namespace) -> int:
    """Print the tables and write the result."""
    from proofmatch.storage import is_same_file

    from ...builder.release.release import open_release
    from ..evaluator import evaluate_file, measure_by_trec_rule, refuse_seen
    from ..metrics import compare
    from ..result import check_result_name, comparison_table, measures_table, result_tables
    from ..system import read_system
    from ..task import load_task

    read = (options.predictions, options.against, options.gold)
    if options.out is not None and is_same_file(options.out, *read):
        raise ProofmatchError(f"{options.out} is a prediction or gold file; give --out another name")
    if options.out is not None:
        check_result_name(options.out)
    system = read_system(options.predictions, name=options.name, input=options.input, url=options.url)
    release = open_release(options.data)
    task = load_task(release, options.split, by_article=options.by_article, gold=options.gold)
    if not options.allow_seen:
        refuse_seen(options.predictions, system, task)
    with _reading(options.predictions) as progress:
        result = evaluate_file(options.predictions, task, system, progress)
        progress.summary = f"{result.n_statements:,} statements"
    comparison = ""
    if options.against is not None:
        with _reading(options.against) as progress:
            other = evaluate_file(options.against, task, read_system(options.against), progress)
            progress.summary = f"{other.n_statements:,} statements"
        name = str(options.against) if other.system.name == system.name else other.system.name
        comparison = comparison_table(result, other, name, compare(result.ranks, other.ranks))
    if options.out is not None:
        result.save(options.out)
        _mention_the_sidecar(options)
    print(result_tables(result))
    if options.ties == "trec":
        print(
            "\nwith the tie rule of trec_eval and mteb: of equal scores, the proof with the later id first\n"
        )
        print(measures_table(measure_by_trec_rule(options.predictions, task)))
    if comparison:
        print("\n" + comparison)
    return 0


def _mention_the_sidecar(options: argparse.Namespace) -> None:
    """Warn if a leaderboard would refuse the result, because the sidecar describes another system."""
    from ..system import find_sidecar, read_system

    sidecar, given = find_sidecar(options.predictions), read_system(options.predictions)
    others = [
        name
        for name in ("name", "input", "url")
        if getattr(options, name) not in (None, getattr(given, name))
    ]
    if sidecar is not None and others:
        fields = " and ".join(f"{name} {getattr(options, name)!r}" for name in others)
        note = f"note: for a leaderboard, change {sidecar} to {fields}, too: results must agree with it"
        print(printable(note), file=sys.stderr)


def _reading(predictions: Path) -> Progress:
    return Progress(f"reading {predictions.name}", "statements")
