"""Rankings that use the whole candidate set: what a sidecar may say of them, and how to put it into words."""

from sys import float_info
from typing import Any

from proofmatch.errors import ProofmatchError

from .faults import shown


def check_transduction(transductive: object, normalization: object) -> None:
    """Refuse what a sidecar must not say.

    Args:
        transductive: Whether the ranking for a statement uses the other statements or the set of all proofs.
        normalization: None, or an object with a `method`, and a `temperature` and `rounds` if it has them.

    Raises:
        ProofmatchError: If one of them is not as it should be, or what is normalised would pass for plain.
    """
    if not isinstance(transductive, bool):
        raise ProofmatchError(f"the system's transductive must be true or false, not {shown(transductive)}")
    if normalization is None:
        return
    if not isinstance(normalization, dict):
        raise ProofmatchError(f"the system's normalization must be an object, not {shown(normalization)}")
    method, temperature, rounds = (normalization.get(key) for key in ("method", "temperature", "rounds"))
    if not isinstance(method, str) or not method or not method.isprintable():
        raise ProofmatchError(f"the method of the system's normalization must be a text, not {shown(method)}")
    if "temperature" in normalization and not _is_positive(temperature, int | float):
        raise ProofmatchError(
            f"the temperature of the system's normalization must be greater than 0, not {shown(temperature)}"
        )
    if "rounds" in normalization and not _is_positive(rounds, int):
        raise ProofmatchError(
            f"the rounds of the system's normalization must be a whole number from 1 on, not {shown(rounds)}"
        )
    if not transductive:
        raise ProofmatchError(
            "the system's normalization makes it transductive: say that it is, or leave the normalization out"
        )


def normalization_in_words(normalization: dict[str, Any] | None) -> str:
    """Name a method and its settings, as in `sinkhorn, temperature 0.05, 20 rounds`; a dash for None."""
    if normalization is None:
        return "–"
    words = [normalization["method"]]
    if "temperature" in normalization:
        words.append(f"temperature {normalization['temperature']:g}")
    if "rounds" in normalization:
        words.append(f"{normalization['rounds']} round{'s' if normalization['rounds'] > 1 else ''}")
    return ", ".join(words)


def _is_positive(value: Any, kind: Any) -> bool:  # noqa: ANN401 - of whatever a JSON file has
    return isinstance(value, kind) and not isinstance(value, bool) and 0 < value <= float_info.max
