"""The model card, `README.md` of a trained model: YAML metadata and a description."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from huggingface_hub import EvalResult, ModelCardData

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.hub_client import check_repository_name

from ..dataset_card.templates import render
from ..evaluation.training_data import TrainingData
from .encoder.encoder_config import ProofMatcherConfig
from .joint import JointMatcherConfig
from .lexical.lexical_config import lexical_views
from .settings import ENCODER_FIELDS, JOINT_FIELDS, SECTIONS
from .trainer.history import MEASURES, Entry, evaluation_of_step, training_seconds
from .trainer.learning_curve import epochs_text

CURVE = "learning-curve.svg"

_TAGS = ["proofmatch", "mathematics", "mathematical-information-retrieval", "theorem", "proof"]
_EXPLAINED = {
    "eval_mrr": "mean reciprocal rank of the gold proof among all proofs of the split",
    "eval_accuracy": "statements whose gold proof is ranked first",
    "eval_one_to_one_accuracy": "statements matched with their gold proof when no proof may be used twice",
}
# Characters that Markdown may interpret; not an underscore within a name.
_MARKS = re.compile(r"[\\`*\[\]|~$#!]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """The facts of a model card.

    Attributes:
        name: Name of the model, which is the name of its folder.
        run: Content of `run.json`.
        history: Content of `history.json`.
        kept_step: The step whose weights were kept.
        parameters: Number of trained parameters.
        vocabulary: Size of the tokenizer's vocabulary.
        training_pairs: Number of training pairs.
        training_data: Everything that it was trained and selected on, including earlier trainings.
        validation_statements: Number of statements of the validation split.
        is_resumed: Whether the training was resumed, so that its total duration is unknown.
    """

    name: str
    run: dict[str, Any]
    history: Sequence[Entry]
    kept_step: int
    parameters: int
    vocabulary: int
    training_pairs: int
    validation_statements: int
    training_data: TrainingData = field(default_factory=TrainingData)
    is_resumed: bool = False


def render_model_card(model: TrainedModel) -> str:
    """Render the card of a model."""
    run, data = model.run, model.run["data"]
    kept = evaluation_of_step(model.history, model.kept_step)
    encoder = run["model"].get("encoder")
    has_lexical, has_encoder = bool(run.get("lexical")), bool(run["model"])
    views = lexical_views(run.get("lexical", {}), run["input"])
    return render(
        "model_card.md.jinja",
        Path(__file__).parent,
        metadata=_metadata(model, kept).to_yaml(),
        model=model,
        run=run,
        data=data,
        release=data["id"] if _is_repository(data["id"]) else "RELEASE",
        encoder=encoder if encoder is None or _is_repository(encoder) else Path(encoder).name,
        kind="joint" if has_lexical and has_encoder else "lexical" if has_lexical else "encoder",
        lexical=views[0].config if views else None,
        views=views,
        reads_sentences=_reads_sentences(run),
        encoder_weight=run["model"].get("encoder_weight", JointMatcherConfig().encoder_weight),
        frozen_layers=run["model"].get("frozen_layers", 0),
        has_blind_view=any(view.hides_names for view in views),
        max_words=run["model"].get("max_words", ProofMatcherConfig().max_words) if has_encoder else None,
        is_by_article=run["config"].endswith("_by_article"),
        settings=_settings(run),
        processes=run.get("processes", 1),
        scores=[
            (label, f"{100 * kept[key]:.1f}", _EXPLAINED[key])
            for key, label in MEASURES.items()
            if kept and key in kept
        ],
        kept_epoch=epochs_text(kept.get("epoch") or 0.0) if kept else None,
        seconds=training_seconds(model.history),
        version=__version__,
        curve=CURVE,
        plain=plain,
        count="{:,}".format,
        duration=duration,
    )


def plain(value: object) -> str:
    """Escape a value for Markdown and HTML, also within a table."""
    text = "none" if value is None else " ".join(str(value).split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKS.sub(r"\\\g<0>", text)


def duration(seconds: float) -> str:
    """Format a duration with its two largest units."""
    whole = round(seconds)
    units = (("d", whole // 86_400), ("h", whole // 3_600 % 24), ("min", whole // 60 % 60), ("s", whole % 60))
    first = next((place for place, (_, number) in enumerate(units) if number), len(units))
    parts = [f"{number} {unit}" for unit, number in units[first : first + 2] if number]
    return " ".join(parts) or "less than 1 s"


def _metadata(model: TrainedModel, kept: Entry | None) -> ModelCardData:
    data, encoder = model.run["data"], model.run["model"].get("encoder")
    results = [
        EvalResult(
            task_type="text-retrieval",
            task_name="Statement–proof matching",
            dataset_type=data["id"],
            dataset_name=data["id"],
            dataset_config=model.run["config"],
            dataset_split="validation",
            dataset_revision=data.get("revision"),
            metric_type=key.removeprefix("eval_"),
            metric_name=label,
            metric_value=kept[key],
        )
        for key, label in MEASURES.items()
        if kept and key in kept
    ]
    return ModelCardData(
        # Not transformers: the Hub would suggest AutoModel, which does not open this model.
        library_name="proofmatch",
        pipeline_tag="sentence-similarity",
        language=["en"],
        tags=_TAGS,
        datasets=[data["id"]] if _is_repository(data["id"]) else None,
        base_model=encoder if encoder is not None and _is_repository(encoder) else None,
        metrics=["mrr", "accuracy"],
        model_name=model.name if results else None,
        eval_results=results or None,
    )


def _settings(run: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """List section, name and value of all settings that have an effect."""
    in_effect: dict[str, tuple[str, ...]] = {}
    if run["model"].get("encoder") is not None:
        in_effect["model"] = ("encoder", *ENCODER_FIELDS, *JOINT_FIELDS)
        if _reads_sentences(run):
            in_effect["tokenizer"] = ()
    return [
        (section, name, value)
        for section in SECTIONS
        for name, value in sorted(run.get(section, {}).items())
        if name in in_effect.get(section, (name,))
    ]


def _reads_sentences(run: dict[str, Any]) -> bool:
    """Whether the matcher reads sentences with `$TeX$` instead of typed tokens."""
    return bool(
        run["model"].get("encoder") and not run["model"].get("reads_tokens") and not run.get("lexical")
    )


def _is_repository(name: str) -> bool:
    """Whether a name belongs to a repository on the Hub and not to a folder."""
    try:
        check_repository_name(name)
    except ProofmatchError:
        return False
    return not Path(name).exists()
