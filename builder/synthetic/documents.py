"""The document of a number: its bytes, and what a build has to make of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import exp
from random import Random

from ..reasons import Reason
from .articles import PlannedArticle, PlannedPair, plan_foreign_pairs, plan_pairs, write_article
from .categories import draw_categories, draw_number_of_pairs
from .damage import DAMAGES, Damage
from .generations import GENERATIONS, Generation
from .names import article_id, article_path
from .settings import SyntheticSettings

ENGLISH = "en"

_SIZE_SD = 0.65  # of the logarithm of a document's size, as in real corpora
_FOREIGN_PAIRS = 3  # at most that many more than two


@dataclass(frozen=True, slots=True)
class SyntheticDocument:
    """A document, and what a build has to make of it.

    Attributes:
        name: Its path.
        data: Its bytes.
        article_id: The id of the article.
        generation: Its markup.
        language: Its language.
        damage: What kind of damage it has, if any.
        reason: Why all of it is discarded, if it is.
        pairs: Its pairs; all of them count as found unless the document is damaged.
    """

    name: str
    data: bytes
    article_id: str
    generation: str
    language: str
    damage: str | None
    reason: Reason | None
    pairs: tuple[PlannedPair, ...]

    @property
    def kept(self) -> int:
        """How many of its pairs stay."""
        return 0 if self.reason else sum(pair.reason is None for pair in self.pairs)

    @property
    def dropped(self) -> list[Reason]:
        """Why each of the other pairs is dropped; of a document that is discarded whole, nobody asks."""
        return [] if self.reason else [pair.reason for pair in self.pairs if pair.reason]


def synthetic_documents(settings: SyntheticSettings) -> Iterator[SyntheticDocument]:
    """Make all documents, one after the other."""
    return (synthetic_document(settings, number) for number in range(settings.documents))


def synthetic_document(settings: SyntheticSettings, number: int) -> SyntheticDocument:
    """Make the document of a number; it depends on nothing but the settings and its number."""
    random = Random(f"{settings.seed}:{number}")  # noqa: S311 - nothing to hide
    if random.random() < settings.damaged:
        kind = random.choice(list(DAMAGES))
        return _damaged(random, settings, number, kind, DAMAGES[kind])
    plan = _plan(random, settings, number, _draw_generation(random, settings))
    reason = Reason.NOT_ENGLISH if plan.language != ENGLISH else None if plan.pairs else Reason.NO_PAIRS
    return SyntheticDocument(
        name=article_path(plan.identifier, plan.generation.suffix),
        data=write_article(random, plan).encode(),
        article_id=plan.identifier,
        generation=plan.generation.name,
        language=plan.language,
        damage=None,
        reason=reason,
        pairs=plan.pairs,
    )


def _damaged(
    random: Random, settings: SyntheticSettings, number: int, kind: str, damage: Damage
) -> SyntheticDocument:
    generation = GENERATIONS[damage.generation] if damage.generation else _draw_generation(random, settings)
    plan = _plan(random, settings, number, generation)
    return SyntheticDocument(
        name=article_path(plan.identifier, damage.suffix or generation.suffix),
        data=damage.do(random, write_article(random, plan).encode()),
        article_id=plan.identifier,
        generation=generation.name,
        language=plan.language,
        damage=kind,
        reason=damage.reason,
        pairs=(),
    )


def _plan(random: Random, settings: SyntheticSettings, number: int, generation: Generation) -> PlannedArticle:
    categories = draw_categories(random)
    language, pairs = ENGLISH, ()
    draw = random.random()
    if draw < settings.with_pairs:
        pairs = plan_pairs(random, draw_number_of_pairs(random, categories[0]), settings.outside)
    elif draw < settings.with_pairs + settings.foreign:
        language = random.choice(settings.languages)
        pairs = plan_foreign_pairs(random, 2 + random.randint(0, _FOREIGN_PAIRS))
    # A normal logarithm, whose mean is such that the mean of the sizes is what it should be.
    size = settings.kilobytes * 1000 * exp(_SIZE_SD * random.gauss(0.0, 1.0) - _SIZE_SD**2 / 2)
    return PlannedArticle(
        article_id(number, categories[0]), categories, generation, language, pairs, round(size)
    )


def _draw_generation(random: Random, settings: SyntheticSettings) -> Generation:
    allowed = [GENERATIONS[name] for name in settings.generations]
    sums = list(accumulate(generation.share for generation in allowed))
    draw = random.random() * sums[-1]
    return next(generation for generation, until in zip(allowed, sums, strict=True) if draw < until)
