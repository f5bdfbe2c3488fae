"""The proofs that are searched, as vectors."""

from hashlib import sha256

import numpy as np
import torch

from proofmatch.progress import Progress

from ...evaluation.release import Release
from ..pairs import read_pairs
from ..prediction import TrainedMatcher
from ..scoring import encode_all
from .cache import cached_vectors

CONFIG = "pairs"  # which has the article of a proof, as the table of proofs alone must not


def proof_vectors(model: TrainedMatcher, release: Release, split: str) -> np.ndarray:
    """Encode the proofs of a split, in the order of its pairs, (proofs, dim), unless the cache has them."""

    def encode() -> np.ndarray:
        proofs = read_pairs(release, split, model.tokenizer, model.matcher.config).proofs
        with Progress(f"encoding proofs of {split}", "batches") as progress:
            progress.summary = f"{len(proofs):,} proofs"
            return encode_all(model.matcher, proofs, progress)

    n_proofs = release.table(CONFIG, split, ["proof_id"]).num_rows
    made_of = f"{fingerprint(model)} {release.manifest_sha256} {split}"
    key = sha256(made_of.encode()).hexdigest()
    return cached_vectors(key, (n_proofs, model.matcher.config.embedding_size), encode)


def fingerprint(model: TrainedMatcher) -> str:
    """Hash all that decides what vectors a model makes, wherever it has been loaded from."""
    digest = sha256(model.matcher.config.to_json_string().encode())
    digest.update(model.tokenizer.backend_tokenizer.to_str().encode())
    for name, weights in sorted(model.matcher.state_dict().items()):
        digest.update(name.encode())
        digest.update(weights.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
