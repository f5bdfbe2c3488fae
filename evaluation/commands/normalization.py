"""What the options of a command say about normalisation."""

import argparse
from typing import Any

from proofmatch.errors import ProofmatchError

from ..decoding.normalization import DEFAULT_ROUNDS, DEFAULT_TEMPERATURE, SINKHORN


def chosen_normalization(options: argparse.Namespace) -> dict[str, Any] | None:
    """Give the arguments of `normalized_scores`, which are also what the sidecar says; None without any.

    Args:
        options: Those of `arguments.py`, which have been given to the command.

    Raises:
        ProofmatchError: If an option is given that the others leave without effect.
    """
    if options.rounds is not None and options.normalize != SINKHORN:
        raise ProofmatchError(
            f"--rounds are those of {SINKHORN}: give --normalize {SINKHORN}, or leave it out"
        )
    if options.normalize == "none":
        if options.temperature is not None:
            raise ProofmatchError(
                "--temperature is that of a normalisation: give --normalize, or leave it out"
            )
        return None
    chosen = {"method": options.normalize, "temperature": options.temperature or DEFAULT_TEMPERATURE}
    if options.normalize == SINKHORN:
        chosen["rounds"] = options.rounds or DEFAULT_ROUNDS
    return chosen
