"""`proofmatch demo`: the whole story on the embedded sample."""

import argparse
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from ...builder.commands import stats
from ...builder.sample import SAMPLE_LICENSE, sample_articles
from ...evaluation.commands import baseline, evaluate
from . import predict, train

EXAMPLE = "proofmatch demo --out demo"

# The sample has 24 short articles: small batches and many epochs, or there would be no steps to speak of.
_SETTINGS = ("per_device_train_batch_size=30", "num_train_epochs=12", "eval_epochs=4")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder to write")


def run(options: argparse.Namespace) -> int:
    """Build the sample, describe it, load it, match it by a baseline and by a model, and score both."""
    from datasets import disable_progress_bars, load_dataset

    from ...builder.build import build_release

    disable_progress_bars()

    release = build_release(sample_articles(), options.out / "release", license=SAMPLE_LICENSE)
    print()
    stats.run(argparse.Namespace(release=release))
    pair = load_dataset(str(release), split="test")[0]
    print(f"\nA {pair['kind']} of “{pair['title']}”:\n{pair['statement']}\n\n{pair['proof']}\n")
    _match(release, options.out / "tfidf", baseline, ["tfidf"])
    if find_spec("torch") is None:
        print("Nothing is trained, because torch is not installed: pip install 'proofmatch[train]'\n")
    else:
        _match(release, options.out / "model", predict, [str(_train(release, options.out / "model"))])
    print(f"from datasets import load_dataset; load_dataset({str(release)!r})")
    return 0


def _train(release: Path, model: Path) -> Path:
    settings = [argument for setting in _SETTINGS for argument in ("--set", setting)]
    resume = ["--resume"] if (model / "run.json").exists() else []
    _run(train, ["--data", str(release), "--preset", "quick", "--out", str(model), *settings, *resume])
    print()
    return model


def _match(release: Path, name: Path, command: ModuleType, system: list[str]) -> None:
    for decoding in ("local", "exact"):
        predictions = name.with_name(f"{name.name}-{decoding}.jsonl")
        data = ["--data", str(release), "--split", "test"]
        _run(command, [*system, *data, "--decode", decoding, "--out", str(predictions)])
        print()
        result = predictions.with_suffix(".result.json")
        _run(evaluate, [str(predictions), *data, "--out", str(result)])
        print()


def _run(command: ModuleType, arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    command.run(parser.parse_args(arguments))
