"""Options that several commands share."""

import argparse
from math import inf
from pathlib import Path
from typing import Any

from proofmatch.errors import ProofmatchError

from ...builder.release.schema import SPLITS
from ..decode import DECODINGS
from ..decoding.candidates import DEFAULT_K
from ..decoding.normalization import DEFAULT_ROUNDS, DEFAULT_TEMPERATURE, METHODS, SINKHORN


def add_data_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose what is to be matched."""
    parser.add_argument(
        "--data", required=True, metavar="RELEASE", help="a folder, or OWNER/NAME[@REVISION] on the Hub"
    )
    add_split_arguments(parser)


def add_split_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose a split."""
    parser.add_argument("--split", choices=SPLITS, default="test", help="which statements and proofs")
    parser.add_argument("--by-article", action="store_true", help="of the split that keeps articles together")


def add_decoding_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that decide how scores become predictions."""
    parser.add_argument(
        "--decode",
        choices=DECODINGS,
        default="local",
        help="rank for each statement; or match one-to-one, over the best candidates or over all pairs",
    )
    parser.add_argument(
        "--top-k",
        type=positive,
        default=DEFAULT_K,
        metavar="K",
        help="candidates of a statement: listed by local decoding, chosen from by global",
    )
    parser.add_argument(
        "--normalize",
        choices=("none", *METHODS),
        default="none",
        help="weigh scores against all others first, which makes the ranking transductive",
    )
    # No defaults here, so that `chosen_normalization` can refuse an option that has no effect.
    parser.add_argument(
        "--temperature",
        type=positive_number,
        metavar="T",
        help=f"what --normalize divides scores by, {DEFAULT_TEMPERATURE:g} if not given",
    )
    parser.add_argument(
        "--rounds",
        type=positive,
        metavar="N",
        help=f"of --normalize sinkhorn, {DEFAULT_ROUNDS} if not given",
    )


def chosen_normalization(options: argparse.Namespace) -> dict[str, Any] | None:
    """The arguments of `normalized_scores`, also recorded in the sidecar; None without normalization.

    Raises:
        ProofmatchError: If an option has no effect together with the others.
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


def add_predictions_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option that names the predictions to write."""
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="PRED",
        help="predictions: .jsonl, .parquet, .trec or .jsonl.gz, .trec.gz",
    )


def positive(text: str) -> int:
    """Read a whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 on")
    return int(text)


def positive_number(text: str) -> float:
    """Read a number greater than 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number greater than 0")
    return number
