"""A matcher as a search model of mteb."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..evaluation.decoding.candidates import best_candidates
from .matcher import TrainedMatcher
from .searching.query import read_column
from .searching.searcher import fingerprint
from .texts import Texts

if TYPE_CHECKING:
    from datasets import Dataset
    from mteb.models.model_meta import ModelMeta


class MatcherSearch:
    """Implements the `SearchProtocol` of mteb.

    mteb calls both methods with keyword arguments; arguments not named here have no effect on a matcher.

    Args:
        model: The matcher.
        tokens: Typed tokens by the ids of texts. Texts of other ids are read from TeX.
    """

    def __init__(self, model: TrainedMatcher, tokens: Mapping[str, Sequence[str]]) -> None:
        self.model = model
        self._tokens = tokens
        self._ids: list[str] = []
        self._proofs: Texts | None = None

    @property
    def mteb_model_meta(self) -> "ModelMeta":
        """The metadata that mteb requires."""
        return model_meta(self.model)

    def index(self, corpus: "Dataset", **_: Any) -> None:  # noqa: ANN401 - the library's
        """Read the documents to search in."""
        self._ids = list(corpus["id"])
        column = self._column(corpus, "proof")
        self.model = self.model.for_candidates(lambda: [(column, None)])
        self._proofs = self.model.reader.read(column)

    def search(
        self,
        queries: "Dataset",
        *,
        top_k: int,
        top_ranked: Mapping[str, Sequence[str]] | None = None,
        **_: Any,  # noqa: ANN401 - the library's
    ) -> dict[str, dict[str, float]]:
        """Find the best documents of each query, or score the ones of `top_ranked`."""
        assert self._proofs is not None  # noqa: S101 - mteb calls `index` first
        names = list(queries["id"])
        statements = self.model.reader.read(self._column(queries, "statement"))
        scores = self.model.matcher.scores(statements, self._proofs)
        if top_ranked is not None:
            places = {name: place for place, name in enumerate(self._ids)}
            found = {}
            for number, name in enumerate(names):
                row = scores.block(number, number + 1)[0]
                found[name] = {one: float(row[places[one]]) for one in top_ranked.get(name, ())}
            return found
        best = best_candidates(scores, min(top_k, len(self._ids)))
        ids = [self._ids[column] for column in best.columns.tolist()]
        values = best.scores.tolist()
        return {
            name: dict(zip(ids[start:stop], values[start:stop], strict=True))
            for name, (start, stop) in zip(names, pairwise(best.starts.tolist()), strict=True)
        }

    def _column(self, texts: "Dataset", side: str) -> pa.Array:
        ids = list(texts["id"])
        if not self.model.reader.reads_text_column and all(name in self._tokens for name in ids):
            return pa.array([self._tokens[name] for name in ids], pa.list_(pa.string()))
        return read_column(self.model, list(texts["text"]), side)


def model_meta(model: TrainedMatcher) -> "ModelMeta":
    """Describe a matcher for mteb, which keeps results by the model's name and revision."""
    from mteb.models.model_meta import ModelMeta, ScoringFunction

    is_folder = Path(model.name).is_dir()
    return ModelMeta(
        loader=None,
        name=f"proofmatch/{Path(model.name).resolve().name}" if is_folder else model.name,
        revision=fingerprint(model)[:40],
        release_date=None,
        languages=["eng-Latn"],
        n_parameters=sum(parameter.numel() for parameter in model.matcher.parameters()),
        memory_usage_mb=None,
        max_tokens=None,
        embed_dim=None,
        license=None,
        open_weights=None,
        public_training_code=None,
        public_training_data=None,
        framework=["PyTorch", "Transformers", "safetensors"],
        similarity_fn_name=ScoringFunction.CUSTOM,
        use_instructions=False,
        training_datasets=None,
    )
