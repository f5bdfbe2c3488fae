"""`LexicalMatcher`: learned weights for features that texts share, and a low-rank bilinear term."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from transformers import PreTrainedTokenizerFast

from proofmatch.progress import Progress
from proofmatch.ragged import Ragged, ranges, starts_of

from ..matcher import Gather, Matcher, ParameterGroup
from ..texts import Texts
from ..vectors import SparseVectors, TextVectors, concatenated, correct_hubness
from .features import FEATURES_VERSION
from .lexical_config import LexicalMatcherConfig
from .vocabulary import BAG, FeatureReader, FeatureVocabulary

SIDES = {"statement": 0, "proof": 1}
SPARSE, DENSE = 0, 1  # the two parts of a score

_BUCKETS = 24  # of frequencies, by powers of two
_INITIAL_SCALES = (3.0, 1.0)  # logarithms; cosines alone are too close to each other for a softmax
_TEXTS_AT_ONCE = 1024
_MIN_NORM = 1e-9

# If at least this many pairs of texts share a feature, a dense product is faster.
_PAIRS_OF_A_FREQUENT_FEATURE = 4_000
_NUMBERS_PER_ENTRY = 4


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A sparse matrix.

    Attributes:
        features: The column of each entry, any integers, (entries).
        rows: The row of each entry, (entries).
        values: With gradients, (entries).
        n_rows: The number of rows.
    """

    features: np.ndarray
    rows: np.ndarray
    values: torch.Tensor
    n_rows: int


@dataclass(frozen=True, slots=True)
class EncodedBags:
    """Texts as vectors of length 1.

    Attributes:
        sparse: A component for each feature.
        dense: The dimensions of the low-rank term, (texts, rank).
    """

    sparse: SparseRows
    dense: torch.Tensor


class LexicalMatcher(Matcher):
    """Scores a pair by the features that its texts share and by those that it has learned to associate.

    The value of a feature in a text is a saturated count, times its idf, times exp of learned weights. One of
    them depends on group, frequency and side (statement or proof), so that unknown features have it as well.
    The other is the feature's own if it is frequent enough; all other features share one. The sparse part of
    a score is the cosine of such vectors. For the dense part, values of the same form weight the rows of two
    embedding tables, one for each side. Both tables have equal initial values, so that at first each feature
    is associated with itself. Each part has a learned scale.

    Example:
        >>> matcher = LexicalMatcher.from_bags(config, vocabulary, background)  # doctest: +SKIP
        >>> scores = matcher(statements, proofs)  # (statements, proofs)  # doctest: +SKIP
    """

    config_class = LexicalMatcherConfig
    config: LexicalMatcherConfig
    base_model_prefix = "lexical"
    main_input_name = "statements"
    hashes: torch.Tensor
    frequencies: torch.Tensor
    weight_places: torch.Tensor
    row_places: torch.Tensor
    background_starts: torch.Tensor

    def __init__(self, config: LexicalMatcherConfig) -> None:
        super().__init__(config)
        n_groups = len(config.groups)
        self.saturations = nn.Parameter(torch.empty(2, 2, n_groups))
        self.frequency_weights = nn.Parameter(torch.empty(2, 2, n_groups, _BUCKETS))
        # The first weight is shared by all features without their own; the first row is not used.
        self.sparse_weights = nn.Parameter(torch.empty(2, 1 + config.num_weights))
        self.dense_weights = nn.Parameter(torch.empty(2, 1 + config.num_rows))
        self.tables = nn.ParameterList(
            [torch.empty(1 + config.num_rows, config.rank) for _ in SIDES] if config.rank else []
        )
        self.scales = nn.Parameter(torch.empty(2))
        self.register_buffer("hashes", torch.zeros(config.num_features, dtype=torch.int64))
        self.register_buffer("frequencies", torch.zeros(config.num_features, dtype=torch.int32))
        self.register_buffer("weight_places", torch.zeros(config.num_features, dtype=torch.int32))
        self.register_buffer("row_places", torch.zeros(config.num_features, dtype=torch.int32))
        n_background = min(config.n_background, config.num_texts // 2)
        self.register_buffer("background_starts", torch.zeros(1 + n_background, dtype=torch.int64))
        for name in BAG.names or ():
            entries = torch.zeros(config.num_background_entries, dtype=torch.int64)
            self.register_buffer(f"background_{name}", entries)
        self.post_init()

    @classmethod
    def from_bags(
        cls,
        config: LexicalMatcherConfig,
        vocabulary: FeatureVocabulary,
        background: Ragged,
    ) -> "LexicalMatcher":
        """Make an untrained matcher for the features of a training split.

        Args:
            config: The configuration; the sizes that depend on the training split are set here.
            vocabulary: The features.
            background: Background statements, looked up as training pairs.
        """
        has_weight = vocabulary.frequencies >= config.min_weight_frequency
        has_row = has_weight & np.isin(
            vocabulary.groups,
            [config.groups.index(name) for name in config.table_groups if name in config.groups],
        )
        frequent_first = np.argsort(-vocabulary.frequencies, kind="stable")
        has_row[frequent_first[np.cumsum(has_row[frequent_first]) > config.max_rows]] = False
        config.num_features = len(vocabulary.hashes)
        config.num_weights = int(has_weight.sum()) if config.has_own_weights else 0
        config.num_rows = int(has_row.sum()) if config.rank else 0
        config.num_texts = vocabulary.n_texts
        config.features_version = FEATURES_VERSION
        config.num_background_entries = len(background.values)
        config.n_background = len(background)
        matcher = cls(config)
        matcher.hashes.copy_(torch.from_numpy(vocabulary.hashes))
        matcher.frequencies.copy_(torch.from_numpy(vocabulary.frequencies))
        for places, has_place in ((matcher.weight_places, has_weight), (matcher.row_places, has_row)):
            places.copy_(torch.from_numpy(np.where(has_place, np.cumsum(has_place), 0)))
        if not config.has_own_weights:
            matcher.weight_places.zero_()
        matcher.background_starts.copy_(torch.from_numpy(background.starts))
        for name in BAG.names or ():
            getattr(matcher, f"background_{name}").copy_(
                torch.from_numpy(background.values[name].astype(np.int64))
            )
        return matcher

    @cached_property
    def vocabulary(self) -> FeatureVocabulary:
        """The features of the training split, for a reader."""
        no_groups = np.empty(0, dtype=np.int8)  # needed only to make a matcher
        hashes, frequencies = (part.cpu().numpy() for part in (self.hashes, self.frequencies))
        return FeatureVocabulary(hashes, frequencies, no_groups, self.config.num_texts)

    @property
    def background(self) -> Ragged:
        """The sample of training statements that measures hubness."""
        entries = np.empty(self.config.num_background_entries, dtype=BAG)
        for name in BAG.names or ():
            entries[name] = getattr(self, f"background_{name}").cpu().numpy()
        return Ragged(entries, self.background_starts.cpu().numpy())

    def forward(self, statements: Sequence[np.ndarray], proofs: Sequence[np.ndarray]) -> torch.Tensor:
        """Score every statement with every proof.

        Args:
            statements: The features of each statement, from the reader.
            proofs: The features of each proof.

        Returns:
            The scores, (statements, proofs).
        """
        # In the precision of the weights, like the scores of an encoder.
        with torch.autocast(self.scales.device.type, enabled=False):
            left, right = self.encode(statements, "statement"), self.encode(proofs, "proof")
            scales = self.scales.exp()
            scores = scales[DENSE] * (left.dense @ right.dense.T)
            return (
                scores + scales[SPARSE] * multiply(left.sparse, right.sparse) if self._is_sparse else scores
            )

    def encode(self, texts: Sequence[np.ndarray], side: str) -> EncodedBags:
        """Encode texts of a side as vectors of length 1."""
        entries = np.concatenate(texts) if len(texts) else np.empty(0, dtype=BAG)
        rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        known = entries["feature"] >= 0
        places = torch.from_numpy(np.where(known, entries["feature"], 0))
        device = self.scales.device
        weight_places, row_places = (
            torch.where(torch.from_numpy(known), buffer.cpu()[places] if len(buffer) else 0, 0)
            for buffer in (self.weight_places, self.row_places)
        )
        values = self.values(SPARSE, side, entries, weight_places.to(device))
        norms = values.new_zeros(len(texts)).index_add(0, torch.from_numpy(rows).to(device), values.square())
        norms = norms.sqrt().clamp(min=_MIN_NORM)
        sparse = SparseRows(
            entries["feature"], rows, values / norms[torch.from_numpy(rows).to(device)], len(texts)
        )
        return EncodedBags(sparse, self._dense(side, entries, rows, row_places, len(texts)))

    def values(self, part: int, side: str, entries: np.ndarray, places: torch.Tensor) -> torch.Tensor:
        """Compute the values of features in texts.

        Args:
            part: `SPARSE` or `DENSE`.
            side: `statement` or `proof`.
            entries: Features, of the dtype `BAG`.
            places: The index of each feature's own weight, 0 for the shared one.
        """
        device, at = self.scales.device, SIDES[side]
        groups, counts, frequencies = (
            torch.from_numpy(entries[name].astype(dtype)).to(device)
            for name, dtype in (("group", np.int64), ("count", np.float32), ("frequency", np.float32))
        )
        buckets = torch.log2(frequencies + 1).long().clamp(max=_BUCKETS - 1)
        saturation = self.saturations[part, at].exp()[groups]
        own = (self.sparse_weights, self.dense_weights)[part][at]
        weights = self.frequency_weights[part, at][groups, buckets] + own[places.long()]
        idf = math.log(self.config.num_texts + 1) - torch.log(frequencies + 1) + 1
        return counts * (1 + saturation) / (counts + saturation) * idf * weights.exp()

    def _dense(
        self, side: str, entries: np.ndarray, rows: np.ndarray, places: torch.Tensor, n_texts: int
    ) -> torch.Tensor:
        if not self.config.rank:
            return self.scales.new_zeros(n_texts, 1)
        has_row = torch.nonzero(places)[:, 0]
        places = places[has_row].to(self.scales.device)
        values = self.values(DENSE, side, entries[has_row.numpy()], places)
        counts = np.bincount(rows[has_row.numpy()], minlength=n_texts)
        offsets = torch.from_numpy(np.cumsum(counts) - counts).to(places.device)
        table = self.tables[SIDES[side]]
        bags = functional.embedding_bag(
            places.long(), table, offsets, mode="sum", per_sample_weights=values.to(table.dtype)
        )
        return functional.normalize(bags.to(values.dtype), dim=-1, eps=_MIN_NORM)

    @property
    def _is_sparse(self) -> bool:
        return self.config.has_sparse_part

    def reader(self, tokenizer: PreTrainedTokenizerFast) -> FeatureReader:  # noqa: ARG002 - for other matchers
        """Return a reader of bags of features."""
        config = self.config
        return FeatureReader(self.vocabulary, tuple(config.groups), config.input, config.candidate_weight)

    def backward(
        self,
        statements: Sequence[np.ndarray],
        proofs: Sequence[np.ndarray],
        loss: Callable[[torch.Tensor], torch.Tensor],
        chunk: int | None,  # noqa: ARG002 - takes little memory anyway
        gather: Gather,  # noqa: ARG002 - one process
    ) -> torch.Tensor:
        """Add the gradients of a batch's loss to the parameters."""
        value = loss(self(statements, proofs))
        value.backward()
        return value.detach()

    def parameter_groups(self) -> list[ParameterGroup]:
        """Give tables, and the weights of single features, their own learning rates."""
        return [
            ParameterGroup([self.saturations, self.frequency_weights, self.scales], rate="feature_rate"),
            ParameterGroup(
                [self.sparse_weights, self.dense_weights], rate="feature_rate", decay="feature_decay"
            ),
            ParameterGroup(list(self.tables), rate="table_rate"),
        ]

    def vectors(self, texts: Texts, side: str, progress: Progress | None = None) -> TextVectors:
        """Encode texts as vectors whose inner products are the scores, corrected for hubness."""
        vectors = self.plain_vectors(texts, side, progress)
        if not self.config.hub_weight:
            return vectors
        background = None if side == "statement" else self.plain_vectors(self.background, "statement")
        return correct_hubness(vectors, side, background, self.config.hub_weight, self.config.n_nearest)

    def plain_vectors(self, texts: Texts, side: str, progress: Progress | None = None) -> TextVectors:
        """Encode texts as vectors whose inner products are the scores of `forward`."""
        no_features = SparseVectors(
            np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        )
        parts = [TextVectors(np.zeros((0, max(1, self.config.rank)), dtype=np.float32), no_features)]
        scales = self.scales.detach().exp() if side == "statement" else torch.ones(2)
        with torch.inference_mode():
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                stop = min(start + _TEXTS_AT_ONCE, len(texts))
                encoded = self.encode([texts[number] for number in range(start, stop)], side)
                sparse = encoded.sparse
                counts = np.bincount(sparse.rows, minlength=stop - start)
                parts.append(
                    TextVectors(
                        (encoded.dense * scales[DENSE]).float().cpu().numpy(),
                        SparseVectors(
                            starts_of(counts),
                            sparse.features,
                            (sparse.values * scales[SPARSE]).float().cpu().numpy(),
                        ),
                    )
                )
                if progress is not None:
                    progress.advance()
        together = concatenated(parts)
        return together if self._is_sparse else TextVectors(together.dense)

    def _init_weights(self, module: nn.Module) -> None:
        if not isinstance(module, LexicalMatcher):
            return
        for weights in (
            module.saturations,
            module.frequency_weights,
            module.sparse_weights,
            module.dense_weights,
        ):
            nn.init.zeros_(weights)
        with torch.no_grad():
            module.scales.copy_(torch.tensor(_INITIAL_SCALES))
            if len(module.tables):
                nn.init.normal_(module.tables[0], std=self.config.rank**-0.5)
                module.tables[1].copy_(module.tables[0])


def background_rows(n_statements: int, size: int, seed: int) -> np.ndarray:
    """Draw background statements from the training split, in ascending order.

    Args:
        n_statements: Number of training statements.
        size: Number of background statements.
        seed: Seed of the draw.
    """
    return np.sort(np.random.default_rng(seed).permutation(n_statements)[:size])


def multiply(left: SparseRows, right: SparseRows) -> torch.Tensor:
    """Multiply every row of one matrix by every row of the other, with gradients at their values.

    PyTorch's own product of sparse matrices is sparse and has gradients of full size. Here the nonzero
    products are summed directly: frequent features by a dense product, rare ones pair by pair.

    Returns:
        The products, (rows, rows).
    """
    columns = _columns(np.concatenate([left.features, right.features]))
    left_columns, right_columns = np.split(columns, [len(left.features)])
    size = int(columns.max(initial=-1)) + 1
    left_counts, right_counts = (np.bincount(one, minlength=size) for one in (left_columns, right_columns))
    n_pairs = left_counts * right_counts
    is_frequent = n_pairs > _PAIRS_OF_A_FREQUENT_FEATURE
    places = np.cumsum(is_frequent) - 1
    dense = [
        _dense_matrix(side, is_frequent[columns], places[columns], int(is_frequent.sum()))
        for side, columns in ((left, left_columns), (right, right_columns))
    ]
    is_rare = (n_pairs > 0) & ~is_frequent
    first, second = _pairs(left_columns, right_columns, is_rare, right_counts)
    places = torch.from_numpy(left.rows[first] * right.n_rows + right.rows[second])
    products = left.values[_on_device(first, left)] * right.values[_on_device(second, right)]
    rare = products.new_zeros(left.n_rows * right.n_rows).index_add(0, places.to(products.device), products)
    return dense[0] @ dense[1].T + rare.view(left.n_rows, right.n_rows)


def _columns(features: np.ndarray) -> np.ndarray:
    """Number features from 0 on, with few enough gaps for arrays over all numbers.

    Features of a vocabulary have small numbers and keep them; only the others need sorting.
    """
    is_small = (features >= 0) & (features < _NUMBERS_PER_ENTRY * len(features))
    columns = np.where(is_small, features, -1)
    others = np.flatnonzero(~is_small)
    columns[others] = columns.max(initial=-1) + 1 + np.unique(features[others], return_inverse=True)[1]
    return columns


def _dense_matrix(
    side: SparseRows, selected: np.ndarray, columns: np.ndarray, n_columns: int
) -> torch.Tensor:
    """Copy the selected entries to a dense matrix."""
    entries = np.flatnonzero(selected)
    places = torch.from_numpy(side.rows[entries] * n_columns + columns[entries]).to(side.values.device)
    matrix = side.values.new_zeros(side.n_rows * n_columns)
    return matrix.index_put((places,), side.values[_on_device(entries, side)]).view(side.n_rows, n_columns)


def _pairs(
    left: np.ndarray, right: np.ndarray, is_rare: np.ndarray, right_counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """List all pairs of entries, one of each side, with the same rare column."""
    left_entries, right_entries = (_by_column(columns, is_rare) for columns in (left, right))
    starts = np.cumsum(np.where(is_rare, right_counts, 0)) - np.where(is_rare, right_counts, 0)
    partners = right_counts[left[left_entries]]
    second = right_entries[ranges(starts[left[left_entries]], partners)]
    return np.repeat(left_entries, partners), second


def _by_column(columns: np.ndarray, selected: np.ndarray) -> np.ndarray:
    entries = np.flatnonzero(selected[columns])
    return entries[np.argsort(columns[entries], kind="stable")]


def _on_device(entries: np.ndarray, side: SparseRows) -> torch.Tensor:
    return torch.from_numpy(entries).to(side.values.device)
