"""`proofmatch train`: a release → a matcher."""

import argparse
from pathlib import Path
from shlex import quote

from ...evaluation.task import INPUTS
from ..settings import preset_names

EXAMPLE = """proofmatch train --data release --out model

on two GPUs, which share each batch:
  torchrun --nproc-per-node 2 -m proofmatch train --data release --preset quick --out model"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--data", required=True, metavar="RELEASE", help="a folder, or OWNER/NAME[@REVISION] on the Hub"
    )
    parser.add_argument("--preset", default="fast", choices=preset_names(), help="the settings to start from")
    parser.add_argument("--input", choices=INPUTS, default="both", help="which tokens the model takes")
    parser.add_argument(
        "--by-article", action="store_true", help="use the splits that keep articles together"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="MODEL", help="output folder")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="overrides",
        help="override any setting of the model, the tokenizer or the training; may be repeated",
    )
    parser.add_argument("--resume", action="store_true", help="continue after the last checkpoint in MODEL")


def run(options: argparse.Namespace) -> int:
    """Train."""
    from ...builder.release.release import open_release
    from ..model_folder import RUN
    from ..settings import load_settings

    settings = load_settings(options.preset, options.overrides)

    from ..run import check_settings, train_matcher

    check_settings(settings, options.out, options.input)
    release = open_release(options.data)

    from ..trainer.processes import is_first_process

    try:
        out = train_matcher(
            release,
            settings,
            options.out,
            input=options.input,
            by_article=options.by_article,
            resume=options.resume,
        )
    except KeyboardInterrupt:
        if not (options.out / RUN).exists():
            raise  # there is nothing to resume
        raise KeyboardInterrupt("continue with --resume") from None
    if not is_first_process():
        return 0
    print(f"saved the model in {out}; match with")
    by_article = " --by-article" if options.by_article else ""
    model, data = quote(str(out)), quote(str(options.data))
    print(f"proofmatch predict {model} --data {data} --split test{by_article} --out predictions.jsonl")
    return 0
