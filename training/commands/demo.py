"""`proofmatch demo`: build, train, match, evaluate and report on the embedded sample."""

import argparse
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from ...builder.commands import stats
from ...builder.sample import SAMPLE_LICENSE, sample_articles
from ...evaluation.commands import baseline, evaluate, report
from . import predict, train

EXAMPLE = "proofmatch demo --out demo"

# The sample has 24 short articles: small batches and many epochs give enough steps.
_SETTINGS = ("per_device_train_batch_size=30", "num_train_epochs=12", "eval_epochs=4")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder to write")


def run(options: argparse.Namespace) -> int:
    """Build the sample, train a model, evaluate it and a baseline, and write the report."""
    from datasets import disable_progress_bars, load_dataset

    from ...builder.building import build_release

    disable_progress_bars()

    release = build_release(sample_articles(), options.out / "release", license=SAMPLE_LICENSE)
    print()
    stats.run(argparse.Namespace(release=release))
    pair = load_dataset(str(release), split="test")[0]
    print(f"\nA {pair['kind']} of “{pair['title']}”:\n{pair['statement']}\n\n{pair['proof']}\n")
    matched = _match(release, options.out / "tfidf", baseline, ["tfidf"])
    if find_spec("torch") is None:
        print("Nothing is trained, because torch is not installed: pip install 'proofmatch[train]'\n")
    else:
        model = _train(release, options.out / "model")
        matched = _match(release, model, predict, [str(model)])
    _run(report, [str(matched), *_data(release), "--out", str(options.out / "report.html")])
    print()
    print(f"from datasets import load_dataset; load_dataset({str(release)!r})")
    return 0


def _train(release: Path, model: Path) -> Path:
    settings = [argument for setting in _SETTINGS for argument in ("--set", setting)]
    resume = ["--resume"] if (model / "run.json").exists() else []
    _run(train, ["--data", str(release), "--preset", "quick", "--out", str(model), *settings, *resume])
    print()
    return model


def _match(release: Path, name: Path, command: ModuleType, system: list[str]) -> Path:
    """Predict and evaluate with local and exact decoding; returns the local predictions."""
    for decoding in ("local", "exact"):
        predictions = _predictions(name, decoding)
        _run(command, [*system, *_data(release), "--decode", decoding, "--out", str(predictions)])
        print()
        result = predictions.with_suffix(".result.json")
        _run(evaluate, [str(predictions), *_data(release), "--out", str(result)])
        print()
    return _predictions(name, "local")


def _predictions(name: Path, decoding: str) -> Path:
    return name.with_name(f"{name.name}-{decoding}.jsonl")


def _data(release: Path) -> list[str]:
    return ["--data", str(release), "--split", "test"]


def _run(command: ModuleType, arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    command.run(parser.parse_args(arguments))
