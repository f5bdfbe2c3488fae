"""`proofmatch demo`: the whole story on the embedded sample."""

import argparse
from pathlib import Path
from types import ModuleType

from ...builder.commands import stats
from ...builder.sample import SAMPLE_LICENSE, sample_articles
from . import baseline, evaluate

EXAMPLE = "proofmatch demo --out demo"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder to write")


def run(options: argparse.Namespace) -> int:
    """Build the sample, describe it, show that it loads, match it and score that."""
    from datasets import disable_progress_bars, load_dataset

    from ...builder.build import build_release

    disable_progress_bars()

    release = build_release(sample_articles(), options.out / "release", license=SAMPLE_LICENSE)
    print()
    stats.run(argparse.Namespace(release=release))
    pair = load_dataset(str(release), split="test")[0]
    print(f"\nA {pair['kind']} of “{pair['title']}”:\n{pair['statement']}\n\n{pair['proof']}\n")
    _match(release, options.out)
    print(f"from datasets import load_dataset; load_dataset({str(release)!r})")
    return 0


def _match(release: Path, out: Path) -> None:
    for decoding in ("local", "exact"):
        predictions = out / f"tfidf-{decoding}.jsonl"
        _run(baseline, ["tfidf", "--data", str(release), "--decode", decoding, "--out", str(predictions)])
        result = out / f"tfidf-{decoding}.result.json"
        print()
        _run(evaluate, [str(predictions), "--data", str(release), "--out", str(result)])
        print()


def _run(command: ModuleType, arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    command.run(parser.parse_args(arguments))
