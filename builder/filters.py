"""What is kept: the language of an article, and the length of its statements and proofs."""

import re
from collections.abc import Callable
from typing import NamedTuple

from proofmatch.errors import ProofmatchError

from .reasons import Reason
from .records import Length

ENGLISH = "en"
UNKNOWN = "un"  # CLD2's code for "too little text to tell"

_NONCHARACTERS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_REJECTED_BY_CLD2 = re.compile(f"[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef{_NONCHARACTERS}]")

Detector = Callable[[str], str]


def detect_with_cld2(text: str) -> str:
    """Identify the language with CLD2 as polyglot does: if the first guess is unreliable, use best effort."""
    import pycld2

    encoded = _printable(text).encode()
    for best_effort in (False, True):
        reliable, _, guesses = pycld2.detect(encoded, bestEffort=best_effort)
        if reliable:
            break
    return guesses[0][1]


def detect_with_polyglot(text: str) -> str:
    """Identify the language with polyglot, the package the paper used."""
    from polyglot.detect import Detector as PolyglotDetector  # pyright: ignore[reportMissingImports]

    return PolyglotDetector(_printable(text), quiet=True).language.code


def assume_english(text: str) -> str:  # noqa: ARG001 - a detector like the others
    """Accept every document as English."""
    return ENGLISH


DETECTORS: dict[str, Detector] = {
    "cld2": detect_with_cld2,
    "polyglot": detect_with_polyglot,
    "none": assume_english,
}


def load_detector(name: str) -> Detector:
    """Get one of `DETECTORS` by name, and make sure that its package is installed."""
    if name == "polyglot":
        try:
            import polyglot.detect  # noqa: F401  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            raise ProofmatchError(
                f"polyglot cannot be imported ({error}); "
                "run `pip install proofmatch[polyglot]` or use --detector cld2"
            ) from None
    return DETECTORS[name]


def is_foreign(language: str) -> bool:
    """Tell whether a language is known and not English; documents in doubt are kept."""
    return language not in (ENGLISH, UNKNOWN)


def _printable(text: str) -> str:
    """Replace the characters CLD2 rejects, such as the control characters that XML allows."""
    text = text.replace("\n", " ")
    # None of these characters is printable, and most texts have nothing else that is not but no-break spaces.
    return text if text.replace("\xa0", " ").isprintable() else _REJECTED_BY_CLD2.sub(" ", text)


class LengthFilter(NamedTuple):
    """The paper's filter: keeps pairs whose statement and proof both have a length within the bounds."""

    shortest: int
    longest: int

    def reason_to_drop(self, statement: Length, proof: Length) -> tuple[Reason, str] | None:
        """Return the reason to drop a pair and its detail, or None to keep it."""
        if statement.total < self.shortest:
            return Reason.STATEMENT_TOO_SHORT, f"statement has {statement.total} tokens"
        if proof.total < self.shortest:
            return Reason.PROOF_TOO_SHORT, f"proof has {proof.total} tokens"
        if statement.total > self.longest:
            return Reason.STATEMENT_TOO_LONG, f"statement has more than {self.longest} tokens"
        if proof.total > self.longest:
            return Reason.PROOF_TOO_LONG, f"proof has more than {self.longest} tokens"
        return None
