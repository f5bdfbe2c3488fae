"""A release and settings → a trained matcher in a folder."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.storage import atomic_file

from ..builder.release.release import Release
from ..builder.release.schema import config_name
from ..evaluation.task import load_task
from .model_folder import alone_in, explaining_disk_errors
from .settings import Settings

if TYPE_CHECKING:
    from .trainer.trainer import MatchingTrainer

RUN = "run.json"
MODEL = "model.safetensors"


def train_matcher(
    release: Release,
    settings: Settings,
    out: Path,
    *,
    reads: str = "both",
    by_article: bool = False,
    resume: bool = False,
) -> Path:
    """Train a matcher on the training split, and keep the weights that are best on the validation split.

    Args:
        release: The pairs.
        settings: From `load_settings`.
        out: The folder of the model.
        reads: What may be read of the texts: `both`, `text` or `math`.
        by_article: Whether the splits are those by article.
        resume: Go on from the last checkpoint in `out`.

    Raises:
        ProofmatchError: If `out` has a run already, or for `resume` none, or one with other settings.
    """
    from .model.pretrained import name_of_encoder
    from .quiet import quiet_library
    from .trainer.checkpoints import last_checkpoint
    from .trainer.outputs import is_finished, write_outputs
    from .trainer.processes import is_first_process, number_of_processes, process_group, wait_for_all

    run = {
        "data": {"id": release.id, "manifest_sha256": release.manifest_sha256, "revision": release.revision},
        "config": config_name("pairs", by_article),
        "input": reads,
        "processes": number_of_processes(),
        **asdict(settings),
    }
    if run["model"].get("encoder"):
        run["model"]["encoder"] = name_of_encoder(run["model"]["encoder"])
    _check_folder(out, run, resume)
    if resume and is_finished(out):
        if is_first_process():
            print(f"training: {out} was finished before", file=sys.stderr)
        return out
    with process_group():
        with quiet_library():
            trainer = _make_trainer(release, settings, out, reads, by_article)
        with alone_in(out) if is_first_process() else nullcontext():
            if is_first_process():
                _check_folder(out, run, resume)  # somebody may have been quicker
            checkpoint = last_checkpoint(out, number_of_processes())
            wait_for_all()  # so that no process takes the folder that another still has to look at
            if is_first_process():
                _claim_folder(out, run)
            # The library begins to speak when a trainer is made.
            with quiet_library(), explaining_disk_errors(out):
                trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
                if is_first_process():
                    write_outputs(trainer, run, out, is_resumed=checkpoint is not None)
            wait_for_all()
    return out


def _make_trainer(
    release: Release, settings: Settings, out: Path, reads: str, by_article: bool
) -> "MatchingTrainer":
    """Make all that a training needs, so that settings that do not work leave nothing behind."""
    from .kinds import start_matcher
    from .pairs import read_pairs, read_task
    from .trainer.arguments import MatchingArguments
    from .trainer.trainer import MatchingTrainer

    with _worded():
        arguments = MatchingArguments(output_dir=str(out), **settings.training)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProofmatchError(f"{out} cannot be written ({error.strerror})") from None
    tokenizer, matcher = start_matcher(release, settings, reads, by_article, arguments.seed)
    task = load_task(release, "validation", by_article=by_article)
    reader = matcher.reader(tokenizer)
    pairs = read_pairs(release, "train", reader, by_article=by_article, is_for_training=True)
    with _worded():
        return MatchingTrainer(matcher, arguments, pairs, read_task(task, reader), tokenizer)


@contextmanager
def _worded() -> Iterator[None]:
    """Word what the library has against the settings."""
    try:
        yield
    except (TypeError, ValueError, RuntimeError, ImportError) as error:
        raise ProofmatchError(f"these settings do not work: {first_line(error)}") from None


def _check_folder(out: Path, run: dict[str, Any], resume: bool) -> None:
    """Refuse to mix two runs."""
    from .trainer.outputs import is_finished

    path = out / RUN
    if not os.path.exists(path):  # noqa: PTH110 - false, not an error, where the folder may not be read
        if resume:
            raise ProofmatchError(f"{out} has no training run to resume; leave out --resume")
        if (out / MODEL).exists():
            raise ProofmatchError(f"{out} has a model that was not trained here; give another --out")
        if is_finished(out):
            raise ProofmatchError(
                f"{out} has a README.md, which the model's would replace; give another --out"
            )
        return
    if not resume:
        raise ProofmatchError(f"{out} has a training run already; go on with --resume, or give another --out")
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise ProofmatchError(f"{path} cannot be read; give another --out") from None
    now = json.loads(_as_text(run))
    now["data"]["id"] = before.get("data", {}).get("id")  # a release may be elsewhere now; its hash tells it
    different = _differences(before, now)
    if different:
        raise ProofmatchError(
            f"{out} was begun with other settings ({'; '.join(different)}); "
            "resume with the same ones, or give another --out"
        )


def _claim_folder(out: Path, run: dict[str, Any]) -> None:
    """Take a folder for a run."""
    with atomic_file(out / RUN) as unfinished:
        unfinished.write_text(_as_text(run), encoding="utf-8")


def _as_text(run: dict[str, Any]) -> str:
    return json.dumps(run, indent=2, sort_keys=True) + "\n"


def _differences(before: dict[str, Any], now: dict[str, Any], prefix: str = "") -> list[str]:
    different = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) or isinstance(new, dict):  # a section that is missing is an empty one
            different += _differences(old or {}, new or {}, f"{prefix}{key}.")
        elif old != new:
            different.append(f"{prefix}{key} was {old} and is {new}")
    return different
