"""English that means nothing: real phrases with room for nouns and adjectives, most of which do not exist.

Which words are drawn follows Zipf's law. The first few are real words of mathematics; the others are put
together from syllables and endings as English ones are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from random import Random

NOUN, ADJECTIVE = "{n}", "{a}"

_PHRASES = """
let us consider the {n} of a {a} {n} as above.
suppose that the {n} is {a} and that
then there exists a {n} such that the {a} {n} of
for every {a} {n} we have
if and only if the {n} of this {n} is {a}.
it follows from the definition of the {n} that
we may assume that the {n} is {a} without loss of generality.
where the {n} on the right is the {a} {n} of
by the previous lemma, the {n} is a {a} {n}.
since the {n} has only finitely many {a} parts, we can choose
this shows that the {n} of every {a} {n} is also
on the other hand, the {a} {n} does not depend on the choice of
which is what we wanted to show.
in particular, the {n} is {a} whenever it is
to see this, note that each {n} with this property is contained in
here we have used that the {n} is {a}, which was shown above.
now let the {n} be given, and write it as
the same argument as before gives that
and hence the map from the {n} to the {n} is {a}.
assume to the contrary that there is no such {n}.
moreover, any two of these are equal up to a {a} {n},
with the property that it is {a} for all but finitely many
we say that a {n} is {a} if there is some
as the {n} is the union of its {a} subsets, it is enough to look at
from this and from the fact that the {n} is {a} we get
are equivalent for each {a} {n}:
because otherwise the {n} would be
"""

_REAL_NOUNS = """
map group space ring set number function sequence element point field module ideal graph manifold operator
bundle algebra curve measure matrix surface category functor scheme sheaf lattice metric norm kernel image
basis vector polynomial tree vertex edge form class boundary closure
"""
_REAL_ADJECTIVES = """
finite compact open closed smooth continuous linear free simple exact regular normal prime bounded connected
local irreducible symmetric unique positive convex flat dense stable abelian cyclic
"""

_ONSETS = "b bl br c ch cl cr d dr f fl fr g gl gr h j l m n p pl pr qu r s sh sl sp st t th tr v w"
_NUCLEI = "a e i o u ea ee oo ou ai"
_CODAS = "b ck d ft g ll m mp n nd ng nt p r rk rd rm rn sh ss st t th x"
_NOUN_ENDINGS = ("", "", "er", "ing", "ness", "ment", "ship", "hood", "let", "ation", "ity", "ling")
_ADJECTIVE_ENDINGS = ("able", "ful", "less", "ish", "ed", "ing", "al", "ous", "like", "ward", "some")

_NOUNS, _ADJECTIVES = 24_000, 9_000


@dataclass(frozen=True, slots=True)
class Words:
    """Nouns and adjectives to choose from."""

    nouns: tuple[str, ...]
    adjectives: tuple[str, ...]


@cache
def phrases() -> tuple[tuple[str, ...], ...]:
    """List the phrases, word by word."""
    return tuple(tuple(phrase.split()) for phrase in _PHRASES.strip().splitlines())


@cache
def vocabulary() -> Words:
    """Make all words, the most frequent first; they are the same always."""
    random = Random("vocabulary")  # noqa: S311 - nothing to hide
    return Words(
        _with_invented(random, _REAL_NOUNS.split(), _NOUN_ENDINGS, _NOUNS),
        _with_invented(random, _REAL_ADJECTIVES.split(), _ADJECTIVE_ENDINGS, _ADJECTIVES),
    )


def draw_words(random: Random, nouns: int, adjectives: int) -> Words:
    """Draw so many words by Zipf's law, as the subject of an article or of a pair."""
    every = vocabulary()
    return Words(
        tuple(zipf(random, every.nouns) for _ in range(nouns)),
        tuple(zipf(random, every.adjectives) for _ in range(adjectives)),
    )


def zipf(random: Random, words: tuple[str, ...]) -> str:
    """Draw a word whose chance is in inverse proportion to its rank."""
    return words[int(exp(random.random() * log(len(words) + 1))) - 1]


def _with_invented(
    random: Random, real: Sequence[str], endings: tuple[str, ...], size: int
) -> tuple[str, ...]:
    words = dict.fromkeys(real)
    onsets, nuclei, codas = (text.split() for text in (_ONSETS, _NUCLEI, _CODAS))
    while len(words) < size:
        stem = "".join(
            random.choice(onsets) + random.choice(nuclei) for _ in range(random.choice((0, 0, 1)))
        ) + "".join(map(random.choice, (onsets, nuclei, codas)))
        words[stem + random.choice(endings)] = None
    return tuple(words)
