"""What decides which articles are made up."""

from dataclasses import asdict, dataclass
from typing import Any

from proofmatch.errors import ProofmatchError

from .generations import GENERATIONS
from .languages import LANGUAGES
from .paper import DOCUMENTS, DOCUMENTS_WITH_PAIRS

MOST_DOCUMENTS = 5_000_000  # that many have ids of their own
MOST_KILOBYTES = 10_000


@dataclass(frozen=True, slots=True)
class SyntheticSettings:
    """Parameters of a synthetic corpus. Each document depends on them and its number, on nothing else.

    Attributes:
        documents: How many.
        seed: Another one gives other documents.
        damaged: Share of documents that cannot be read, for one reason or another.
        with_pairs: Share of documents that have pairs which pass the filters.
        foreign: Share of documents with pairs in other languages than English.
        outside: Share of pairs that are too short or too long, among those in English.
        languages: The other languages.
        generations: The kinds of markup.
        kilobytes: Mean size of a document.
    """

    documents: int = 10_000
    seed: int = 0
    damaged: float = 0.01
    with_pairs: float = round(DOCUMENTS_WITH_PAIRS / DOCUMENTS, 4)
    foreign: float = 0.004
    outside: float = 0.12
    languages: tuple[str, ...] = tuple(LANGUAGES)
    generations: tuple[str, ...] = tuple(GENERATIONS)
    kilobytes: float = 60.0

    def __post_init__(self) -> None:
        if not 1 <= self.documents <= MOST_DOCUMENTS:
            raise ProofmatchError(f"documents must be between 1 and {MOST_DOCUMENTS:,}, not {self.documents}")
        for name in ("damaged", "with_pairs", "foreign", "outside"):
            if not 0 <= getattr(self, name) <= 1:
                raise ProofmatchError(f"{name} is a share between 0 and 1, not {getattr(self, name)}")
        if self.with_pairs + self.foreign > 1:
            raise ProofmatchError("with_pairs and foreign together are more than all documents")
        if self.outside > 0.9:
            raise ProofmatchError("outside must be at most 0.9, so that articles have pairs that stay")
        if not 1 <= self.kilobytes <= MOST_KILOBYTES:
            raise ProofmatchError(f"kilobytes must be between 1 and {MOST_KILOBYTES:,}, not {self.kilobytes}")
        _check_names("language", self.languages, LANGUAGES)
        _check_names("markup", self.generations, GENERATIONS)

    def as_dict(self) -> dict[str, Any]:
        """List the parameters by name, for the manifest."""
        return asdict(self)


def _check_names(what: str, names: tuple[str, ...], known: dict[str, Any]) -> None:
    if not names:
        raise ProofmatchError(f"at least one {what} is needed; there are {', '.join(known)}")
    for name in names:
        if name not in known:
            raise ProofmatchError(f"there is no {what} {name!r}; choose among {', '.join(known)}")
