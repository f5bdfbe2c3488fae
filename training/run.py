"""A release and settings → a trained matcher in a folder."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from proofmatch.errors import ProofmatchError, first_line
from proofmatch.storage import atomic_file

from ..builder.release.release import Release
from ..builder.release.schema import config_name
from ..evaluation.task import load_task
from ..evaluation.training_data import TrainingData
from .calibration import calibrate
from .encoder.pretrained import name_of_encoder
from .encoder.proof_matcher import ProofMatcher, ProofMatcherConfig
from .joint import JointMatcher, JointMatcherConfig
from .lexical.lexical_config import LexicalMatcherConfig, lexical_views
from .lexical.lexical_matcher import LexicalMatcher, background_rows
from .lexical.vocabulary import count_vocabulary, read_features
from .matcher import Matcher, quiet_library
from .model_card import CURVE, TrainedModel, render_model_card
from .model_folder import (
    CARD,
    check_folder,
    claim_folder,
    exclusive_use,
    is_finished,
    last_checkpoint,
    readable_disk_errors,
)
from .pairs import column_of, read_pairs, read_task
from .settings import ENCODER_FIELDS, Settings
from .texts import SIDES, hidden_words
from .tokenizer import check_tokenizer_settings, load_tokenizer, train_tokenizer
from .trainer.arguments import MatchingArguments
from .trainer.learning_curve import learning_curve
from .trainer.processes import is_first_process, number_of_processes, process_group, wait_for_all
from .trainer.trainer import MatchingTrainer
from .views import MultiViewMatcher

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from .pairs import MatchingSet


def train_matcher(
    release: Release,
    settings: Settings,
    out: Path,
    *,
    input: str = "both",
    by_article: bool = False,
    resume: bool = False,
) -> Path:
    """Train a matcher on the training split, and keep the weights that are best on the validation split.

    Args:
        release: The release.
        settings: From `load_settings`.
        out: Output folder.
        input: Which tokens the matcher takes: `both`, `text` or `math`.
        by_article: Use the splits by article.
        resume: Continue from the last checkpoint in `out`.

    Raises:
        ProofmatchError: If `out` has a run already, or for `resume` none, or one with other settings.
    """
    run = {
        "data": {"id": release.id, "manifest_sha256": release.manifest_sha256, "revision": release.revision},
        "config": config_name("pairs", by_article),
        "input": input,
        "processes": number_of_processes(),
        **asdict(settings),
    }
    if run["model"].get("encoder"):
        run["model"]["encoder"] = name_of_encoder(run["model"]["encoder"])
    check_folder(out, run, resume)
    if resume and is_finished(out):
        if is_first_process():
            print(f"training: {out} was finished before", file=sys.stderr)
        return out
    with process_group():
        with quiet_library():
            trainer = _make_trainer(release, settings, out, input, by_article)
        with exclusive_use(out) if is_first_process() else nullcontext():
            if is_first_process():
                check_folder(out, run, resume)  # another process may have been faster
            checkpoint = last_checkpoint(out, number_of_processes())
            wait_for_all()  # all have looked at the folder before the first one claims it
            if is_first_process():
                claim_folder(out, run)
            # The library resets its verbosity when a trainer is made.
            with quiet_library(), readable_disk_errors(out):
                trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
                if is_first_process():
                    write_outputs(trainer, run, out, is_resumed=checkpoint is not None)
            wait_for_all()
    return out


def check_settings(settings: Settings, out: Path, input: str) -> None:
    """Make the configurations that settings describe, before a release is opened or read.

    Raises:
        ProofmatchError: If a value is not possible.
    """
    with quiet_library(), _readable_errors():
        MatchingArguments(output_dir=str(out), **settings.training)
        if settings.model:
            fields = _encoder_fields(settings, input)
            if settings.model.get("encoder") is not None:
                fields["encoder_config"] = {}  # is known only when it is opened
            ProofMatcherConfig(**fields)
            JointMatcherConfig(**settings.joint)
        lexical_views(settings.lexical, input)
        if settings.lexical.get("renamed_groups") and not settings.training.get("rename_share"):
            raise ProofmatchError(
                "renamed_groups are for a view that is trained on renamed proofs; set rename_share, too"
            )
    check_tokenizer_settings(**settings.tokenizer)


def _make_trainer(
    release: Release, settings: Settings, out: Path, input: str, by_article: bool
) -> MatchingTrainer:
    """Make everything that a training needs before writing anything, so that bad settings leave no files."""
    with _readable_errors():
        arguments = MatchingArguments(output_dir=str(out), **settings.training)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ProofmatchError(f"{out} cannot be written ({error.strerror})") from None
    tokenizer, matcher = start_matcher(release, settings, input, by_article, arguments.seed)
    task = load_task(release, "validation", by_article=by_article)
    reader = matcher.reader(tokenizer)
    pairs = read_pairs(release, "train", reader, by_article=by_article, is_for_training=True)
    with _readable_errors():
        return MatchingTrainer(matcher, arguments, pairs, read_task(task, reader), tokenizer)


@contextmanager
def _readable_errors() -> Iterator[None]:
    """Turn the library's errors about settings into one sentence."""
    try:
        yield
    except ProofmatchError:
        raise
    except (TypeError, ValueError, RuntimeError, ImportError) as error:
        raise ProofmatchError(f"these settings do not work: {first_line(error)}") from None


def start_matcher(
    release: Release, settings: Settings, input: str, by_article: bool, seed: int
) -> "tuple[PreTrainedTokenizerFast, Matcher]":
    """Make the tokenizer and the untrained matcher that settings describe.

    The section `lexical` makes a lexical matcher, or several views with `renamed_groups` or `blind_groups`.
    The section `model` makes an encoder, self-attentive or pretrained, and both together a joint matcher.
    """
    from transformers import set_seed

    set_seed(seed)
    if settings.model.get("encoder") is not None and not (
        settings.lexical or settings.model.get("reads_tokens")
    ):
        matcher = _start_encoder(settings, None, input)  # first, because its errors are clearer
        return load_tokenizer(settings.model["encoder"], typed=False), matcher
    tokens = [
        column_of(release, config_name("pairs", by_article), "train", f"{side}_tokens") for side in SIDES
    ]
    texts = [texts for texts, _ in tokens]
    words = hidden_words(texts) if settings.model.get("hides_names") else ()
    tokenizer = train_tokenizer(texts, words=words, **settings.tokenizer)
    encoder = _start_encoder(settings, tokenizer, input) if settings.model else None
    views = lexical_views(settings.lexical, input)
    lexical = [_start_lexical(view.config, tokens, seed) for view in views]
    if not lexical:
        return tokenizer, cast("Matcher", encoder)
    features: Matcher = lexical[0]
    if len(views) > 1:
        offsets, renamed = zip(*((view.offset, view.is_renamed) for view in views), strict=True)
        features = MultiViewMatcher.from_views(lexical, offsets, renamed)
    if encoder is None:
        return tokenizer, features
    return tokenizer, JointMatcher.from_parts(features, encoder, **settings.joint)


def _start_encoder(
    settings: Settings, tokenizer: "PreTrainedTokenizerFast | None", input: str
) -> ProofMatcher:
    """Make an encoder of the settings, with new weights or those of a pretrained one."""
    fields, encoder = _encoder_fields(settings, input), settings.model.get("encoder")
    if encoder is None:
        return ProofMatcher(ProofMatcherConfig(vocab_size=len(cast("Any", tokenizer)), **fields))
    try:
        return ProofMatcher.from_encoder(encoder, **fields)
    except ProofmatchError as error:
        if not settings.lexical:
            raise
        raise ProofmatchError(f"{error}; --set encoder=none trains the features alone") from None


def _encoder_fields(settings: Settings, input: str) -> dict[str, Any]:
    """List the fields of an encoder's configuration that settings have, without those of no effect."""
    fields = {**settings.encoder, "input": input}
    encoder = fields.pop("encoder", None)
    if encoder == "":
        raise ProofmatchError(
            f"the preset {settings.preset} trains a pretrained encoder; say which by --set encoder=OWNER/NAME"
        )
    if encoder is None:
        return fields
    fields = {name: fields[name] for name in ("input", *ENCODER_FIELDS) if name in fields}
    return {**fields, "reads_tokens": True} if settings.lexical else fields  # as the features do


def _start_lexical(
    config: LexicalMatcherConfig, tokens: list[tuple[pa.Array, str]], seed: int
) -> LexicalMatcher:
    """Make an untrained lexical matcher."""
    bags = [read_features(*column, tuple(config.groups), config.input) for column in tokens]
    vocabulary = count_vocabulary(bags, config.min_frequency)
    statements, _ = vocabulary.look_up_pairs(bags[0], bags[1])
    n_background = min(config.n_background, len(statements)) if config.hub_weight else 0
    chosen = background_rows(len(statements), n_background, seed)
    return LexicalMatcher.from_bags(config, vocabulary, statements.take(chosen))


def write_outputs(
    trainer: MatchingTrainer, run: dict[str, Any], out: Path, *, is_resumed: bool = False
) -> None:
    """Calibrate the model, and write the learning curve, the model with its tokenizer, and last the card.

    Args:
        trainer: The trainer after its training.
        run: Content of `run.json`.
        out: Folder of the model.
        is_resumed: Whether the training was resumed from a checkpoint.
    """
    history = trainer.state.log_history
    best_by = f"eval_{(trainer.args.metric_for_best_model or 'mrr').removeprefix('eval_')}"
    _write(out / CURVE, learning_curve(history, best_by))
    split = cast("MatchingSet", trainer.eval_dataset)
    scores = trainer.matcher.scores(split.statements, split.proofs)
    trainer.matcher.config.calibration = calibrate(scores, split.gold)
    # An internal call: others push to the Hub at once, without the card.
    trainer.save_model(str(out), _internal_call=True)
    matcher = trainer.matcher
    model = TrainedModel(
        name=out.absolute().name,
        run=run,
        history=history,
        kept_step=_kept_step(trainer),
        parameters=sum(parameter.numel() for parameter in matcher.parameters()),
        vocabulary=len(cast("PreTrainedTokenizerFast", trainer.processing_class)),
        training_pairs=trainer.batches.n_pairs,
        training_data=matcher.training_data or TrainingData(),
        validation_statements=len(split),
        is_resumed=is_resumed,
    )
    _write(out / CARD, render_model_card(model))
    if trainer.args.push_to_hub:
        trainer.push_to_hub()


def _kept_step(trainer: MatchingTrainer) -> int:
    state = trainer.state
    is_best = trainer.args.load_best_model_at_end and state.best_model_checkpoint is not None
    return state.best_global_step if is_best and state.best_global_step else state.global_step


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")
