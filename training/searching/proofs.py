"""The proofs that are searched, as vectors."""

from hashlib import sha256

import numpy as np
import torch

from proofmatch.progress import Progress

from ...builder.release.release import Release
from ..cache import Arrays, cached_arrays
from ..pairs import read_pairs
from ..prediction import TrainedMatcher
from ..vectors import SparseVectors, TextVectors

CONFIG = "pairs"  # which has the article of a proof, as the table of proofs alone must not


def proof_vectors(model: TrainedMatcher, release: Release, split: str) -> TextVectors:
    """Encode the proofs of a split, in the order of its pairs, unless the cache has them."""
    n_proofs = release.table(CONFIG, split, ["proof_id"]).num_rows

    def encode() -> Arrays:
        proofs = read_pairs(release, split, model.reader).proofs
        with Progress(f"encoding proofs of {split}", "batches") as progress:
            progress.summary = f"{len(proofs):,} proofs"
            return _arrays(model.matcher.vectors(proofs, "proof", progress))

    def is_whole(arrays: Arrays) -> bool:
        dense, starts, features, values = arrays
        return bool(
            dense.dtype == values.dtype == np.float32
            and starts.dtype == features.dtype == np.int64
            and dense.ndim == 2
            and (len(dense), starts.shape) == (n_proofs, (n_proofs + 1,))
            and features.shape == values.shape == (starts[-1],)
            and starts[0] == 0
            and (np.diff(starts) >= 0).all()
            and np.isfinite(dense).all()
            and np.isfinite(values).all()
        )

    made_of = f"{fingerprint(model)} {release.manifest_sha256} {split}"
    dense, *sparse = cached_arrays(sha256(made_of.encode()).hexdigest(), 4, encode, is_whole)
    return TextVectors(dense, SparseVectors(*sparse))


def _arrays(vectors: TextVectors) -> Arrays:
    sparse = vectors.sparse or SparseVectors(
        np.zeros(len(vectors) + 1, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    )
    return vectors.dense.astype(np.float32, copy=False), sparse.starts, sparse.features, sparse.values


def fingerprint(model: TrainedMatcher) -> str:
    """Hash all that decides what vectors a model makes, wherever it has been loaded from."""
    digest = sha256(model.matcher.config.to_json_string().encode())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    for name, weights in sorted(model.matcher.state_dict().items()):
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
