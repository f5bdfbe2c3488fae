"""The configuration of the lexical matcher."""

from dataclasses import dataclass
from typing import Any

from transformers import PretrainedConfig

from proofmatch.errors import ProofmatchError, check_choice, check_integers, check_weights

from ...evaluation.task import INPUTS
from .features import FEATURES_VERSION, GROUPS, SHAPES

_MINIMA = {
    "rank": 0,
    "min_frequency": 1,
    "min_weight_frequency": 1,
    "max_rows": 1,
    "n_background": 0,
    "n_nearest": 1,
}
_NAMED_GROUPS = tuple(name for name in GROUPS if name not in SHAPES)
_TABLE_GROUPS = tuple(name for name in GROUPS if name not in ("math-4", "math-run", "shape-4", "shape-5"))


class LexicalMatcherConfig(PretrainedConfig):
    """The configuration of a lexical matcher.

    Args:
        groups: Groups of features, from `GROUPS`.
        table_groups: Groups with rows in the embedding tables.
        rank: Dimension of the tables, which is the rank of the bilinear term; 0 for none.
        has_sparse_part: Whether shared features contribute by themselves.
        has_own_weights: Whether frequent features have their own weights.
        min_frequency: Features in fewer training texts are dropped, and treated as unknown.
        min_weight_frequency: Features in at least so many training texts have their own weights and rows.
        max_rows: Maximum number of rows of a table; the most frequent features have them.
        hub_weight: Weight of the hubness correction; 0 for none.
        n_background: Number of background statements, which measure the hubness of a proof.
        n_nearest: Number of background statements with the highest scores in the mean.
        candidate_weight: How much a candidate proof counts in the frequency of a feature, if a training text
            counts 1; 0 to count training texts only.
        input: Which tokens the matcher takes: `both`, `text` or `math`.
        num_features: Number of features; this and the following are counted in the training texts.
        num_weights: Number of features with their own weights.
        num_rows: Number of features with rows in the tables.
        num_background_entries: Number of features of all background statements together.
        num_texts: Number of training texts.
        features_version: Version of the features when they were counted; 0 before.
    """

    model_type = "lexical-matcher"

    def __init__(
        self,
        groups: list[str] | tuple[str, ...] = _NAMED_GROUPS,
        table_groups: list[str] | tuple[str, ...] = _TABLE_GROUPS,
        rank: int = 512,
        has_sparse_part: bool = True,
        has_own_weights: bool = True,
        min_frequency: int = 2,
        min_weight_frequency: int = 5,
        max_rows: int = 50_000,
        hub_weight: float = 0.5,
        n_background: int = 2_000,
        n_nearest: int = 10,
        candidate_weight: float = 0.0,
        input: str = "both",
        num_features: int = 0,
        num_weights: int = 0,
        num_rows: int = 0,
        num_background_entries: int = 0,
        num_texts: int = 0,
        features_version: int = 0,
        **others: Any,  # noqa: ANN401 - passed on to `PretrainedConfig`
    ) -> None:
        super().__init__(**others)
        for name, value in (("groups", groups), ("table_groups", table_groups)):
            if unknown := [group for group in value if group not in GROUPS]:
                raise ProofmatchError(
                    f"unknown group {unknown[0]!r} in {name}; the groups of features are {', '.join(GROUPS)}"
                )
        if not groups:
            raise ProofmatchError(f"groups must have at least one of {', '.join(GROUPS)}")
        if not rank and not has_sparse_part:
            raise ProofmatchError(
                "with rank 0 and no sparse part there is nothing to score by; set one of them"
            )
        check_choice("input", input, INPUTS)
        if features_version not in (0, FEATURES_VERSION):
            raise ProofmatchError(
                f"its features are of version {features_version}, ours of version {FEATURES_VERSION}; "
                "train it again, or use the version of proofmatch that it was trained with"
            )
        self.groups = list(groups)
        self.table_groups = list(table_groups)
        self.rank = rank
        self.has_sparse_part = has_sparse_part
        self.has_own_weights = has_own_weights
        self.min_frequency = min_frequency
        self.min_weight_frequency = min_weight_frequency
        self.max_rows = max_rows
        self.hub_weight = hub_weight
        self.n_background = n_background
        self.n_nearest = n_nearest
        self.candidate_weight = candidate_weight
        self.input = input
        self.num_features = num_features
        self.num_weights = num_weights
        self.num_rows = num_rows
        self.num_background_entries = num_background_entries
        self.num_texts = num_texts
        self.features_version = features_version
        check_integers(self, _MINIMA)
        check_weights(self, "hub_weight", "candidate_weight")


@dataclass(frozen=True, slots=True)
class LexicalView:
    """A view of a pair, as settings describe it.

    Attributes:
        config: The configuration of its matcher.
        offset: Subtracted from its scores.
        hides_names: Whether it does not see the names of variables.
        is_renamed: Whether it is trained on proofs with renamed variables, if there are any.
    """

    config: LexicalMatcherConfig
    offset: float = 0.0
    hides_names: bool = False
    is_renamed: bool = True


def lexical_views(section: dict[str, Any], input: str) -> list[LexicalView]:
    """Make the lexical views that settings describe.

    Args:
        section: The section `lexical` of the settings; empty for no view.
        input: Which tokens the matcher takes. Without formulas, all views would be the same.
    """
    fields = {**section, "input": input}
    others = {
        name: (fields.pop(f"{name}_groups", []), fields.pop(f"{name}_offset", 0.0))
        for name in ("renamed", "blind")
    }
    if not section:
        return []
    renamed_groups, _ = others["renamed"]
    views = [LexicalView(LexicalMatcherConfig(**fields), is_renamed=not renamed_groups)]
    for name, (groups, offset) in others.items():
        if groups and input != "text":
            config = LexicalMatcherConfig(**{**fields, "groups": groups})
            views.append(
                LexicalView(
                    config,
                    offset,
                    hides_names=name == "blind",
                    is_renamed=name == "renamed" or not renamed_groups,
                )
            )
    return views
