"""The language filter: which language an article is written in, by the text of its pairs."""

import re
from collections.abc import Callable

from proofmatch.errors import ProofmatchError

ENGLISH = "en"
UNKNOWN = "un"  # CLD2's code for "too little text to tell"

_NONCHARACTERS = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_REFUSED = re.compile(f"[\x00-\x1f\x7f-\x9f\ufdd0-\ufdef{_NONCHARACTERS}]")

Detector = Callable[[str], str]


def detect_with_cld2(text: str) -> str:
    """Identify the language with CLD2 as polyglot does: a best-effort look if the first is unsure."""
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
    """Ask nothing: every document is taken for English."""
    return ENGLISH


DETECTORS: dict[str, Detector] = {
    "cld2": detect_with_cld2,
    "polyglot": detect_with_polyglot,
    "none": assume_english,
}


def load_detector(name: str) -> Detector:
    """Get a detector by name, and make sure that what it needs is installed.

    Raises:
        ProofmatchError: If it is unknown or not installed.
    """
    if name not in DETECTORS:
        raise ProofmatchError(f"there is no language detector {name!r}; choose one of {', '.join(DETECTORS)}")
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
    """Tell whether a document is known to be in another language; a doubtful one stays."""
    return language not in (ENGLISH, UNKNOWN)


def _printable(text: str) -> str:
    """Replace what CLD2 refuses, control characters for instance, of which XML allows some."""
    return _REFUSED.sub(" ", text)
