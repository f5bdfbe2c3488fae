"""Every parameter that decides what is in a release."""

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

from proofmatch.errors import ProofmatchError

from .filters import DETECTORS

MEBIBYTE = 1 << 20
DAY = 86_400
OTHER_LICENSE = "other"  # the Hub's name for what has none of its own

_LICENSE = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")


def check_license(name: str) -> None:
    """Refuse what cannot be the Hub's name of a licence.

    Raises:
        ProofmatchError: With an example of one that is.
    """
    if not _LICENSE.fullmatch(name):
        raise ProofmatchError(f"license must be the Hub's name of a licence such as cc-by-4.0, not {name!r}")


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Parameters of a build. The number of workers is not among them: it never changes the result.

    Attributes:
        min_tokens: Shortest statement or proof that is kept.
        max_tokens: Longest statement or proof that is kept.
        detector: Language detector: `cld2`, `polyglot` or `none`.
        titles: Whether titles ("Lemma 2.1.", "Proof.") stay part of the texts.
        seed: Salt of the hash that decides the splits.
        max_document_mb: Documents above this size are discarded unread; it bounds a worker's memory.
        document_seconds: Documents that take more processor time than this are discarded.
        license: Licence of the texts by the Hub's name for it, for the card.
    """

    min_tokens: int = 20
    max_tokens: int = 500
    detector: str = "cld2"
    titles: Literal["keep", "drop"] = "keep"
    seed: int = 0
    max_document_mb: int = 24
    document_seconds: float = 60.0
    license: str = OTHER_LICENSE

    def __post_init__(self) -> None:
        if not 0 <= self.min_tokens <= self.max_tokens:
            raise ProofmatchError(
                f"min_tokens ({self.min_tokens}) must be between 0 and max_tokens ({self.max_tokens})"
            )
        if self.detector not in DETECTORS:
            raise ProofmatchError(f"detector must be one of {', '.join(DETECTORS)}, not {self.detector!r}")
        if self.titles not in ("keep", "drop"):
            raise ProofmatchError(f"titles must be keep or drop, not {self.titles!r}")
        check_license(self.license)
        if self.max_document_mb <= 0 or not 0 < self.document_seconds <= DAY:
            raise ProofmatchError("max_document_mb and document_seconds must be positive, at most a day")

    @property
    def max_document_bytes(self) -> int:
        """The size limit in bytes."""
        return self.max_document_mb * MEBIBYTE

    def as_dict(self) -> dict[str, Any]:
        """List the parameters by name, for the manifest."""
        return asdict(self)
