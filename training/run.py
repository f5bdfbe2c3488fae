"""A release and settings → a trained matcher in a folder."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofmatch.errors import ProofmatchError

from ..evaluation.release import Release
from ..evaluation.task import config_name, load_task
from .settings import Settings

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from .model.matcher import ProofMatcher

RUN = "run.json"


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
    from .pairs import read_pairs, read_task
    from .quiet import quiet_library
    from .trainer.arguments import MatchingArguments
    from .trainer.checkpoints import last_checkpoint
    from .trainer.outputs import write_outputs
    from .trainer.trainer import MatchingTrainer

    run = {
        "data": {"id": release.id, "manifest_sha256": release.manifest_sha256, "revision": release.revision},
        "config": config_name("pairs", by_article),
        "input": reads,
        **asdict(settings),
    }
    _claim(out, run, resume)
    if (out / "model.safetensors").exists():
        return out
    try:
        arguments = MatchingArguments(output_dir=str(out), **settings.training)
    except (TypeError, ValueError) as error:
        raise ProofmatchError(f"these settings do not work: {error}") from None
    tokenizer, matcher = _start(release, settings, reads, by_article, arguments.seed)
    task = load_task(release, "validation", by_article=by_article)
    trainer = MatchingTrainer(
        matcher,
        arguments,
        read_pairs(release, "train", tokenizer, matcher.config, by_article=by_article),
        read_task(task, tokenizer, matcher.config),
        tokenizer,
    )
    checkpoint = last_checkpoint(out)
    with quiet_library():
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        if trainer.is_world_process_zero():
            write_outputs(trainer, run, out)
    return out


def _start(
    release: Release, settings: Settings, reads: str, by_article: bool, seed: int
) -> "tuple[PreTrainedTokenizerFast, ProofMatcher]":
    """Make the tokenizer and the untrained matcher, or take those of a pretrained encoder."""
    from transformers import AutoTokenizer, set_seed

    from .model.config import ProofMatcherConfig
    from .model.matcher import ProofMatcher
    from .tokenizer import train_tokenizer

    set_seed(seed)
    sizes = {**settings.model, "input": reads}
    encoder = sizes.pop("encoder", None)
    if encoder is not None:
        matcher = ProofMatcher.from_encoder(encoder, **{key: sizes[key] for key in ("max_words", "input") if key in sizes})
        return AutoTokenizer.from_pretrained(encoder), matcher
    table = release.table(
        config_name("pairs", by_article), "train", ["statement_tokens", "proof_tokens"]
    )
    tokenizer = train_tokenizer(
        [table[column].combine_chunks() for column in table.column_names], **settings.tokenizer
    )
    return tokenizer, ProofMatcher(ProofMatcherConfig(vocab_size=len(tokenizer), **sizes))


def _claim(out: Path, run: dict[str, Any], resume: bool) -> None:
    """Take a folder for a run, or refuse to mix two runs."""
    path = out / RUN
    text = json.dumps(run, indent=2, sort_keys=True) + "\n"
    if path.exists():
        if not resume:
            raise ProofmatchError(f"{out} has a training run already; go on with --resume, or give another --out")
        before = json.loads(path.read_text(encoding="utf-8"))
        different = _differences(before, json.loads(text))
        if different:
            raise ProofmatchError(
                f"{out} was begun with other settings ({'; '.join(different)}); "
                "resume with the same ones, or give another --out"
            )
        return
    if resume:
        raise ProofmatchError(f"{out} has no training run to resume; leave out --resume")
    try:
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ProofmatchError(f"{out} cannot be written ({error.strerror})") from None


def _differences(before: dict[str, Any], now: dict[str, Any], prefix: str = "") -> list[str]:
    different = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            different += _differences(old, new, f"{prefix}{key}.")
        elif old != new:
            different.append(f"{prefix}{key} was {old} and is {new}")
    return different
