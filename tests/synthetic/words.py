"""Meaningless English, with words drawn by Zipf's law, and some sentences in other languages."""

from dataclasses import dataclass
from functools import cache
from math import exp, log
from random import Random

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
to see this, note that each {n} with this property is contained in
the same argument as before gives that
and hence the map from the {n} to the {n} is {a}.
moreover, any two of these are equal up to a {a} {n},
we say that a {n} is {a} if there is some
are equivalent for each {a} {n}:
"""
_NOUNS = "map group space ring set number function sequence element point field module ideal graph bundle"
_ADJECTIVES = "finite compact open closed smooth continuous linear free simple exact regular normal prime"
_ONSETS = "b bl br c ch cl cr d dr f fl fr g gl gr h j l m n p pl pr qu r s sh sl sp st t th tr v w"
_NUCLEI = "a e i o u ea ee oo ou ai"
_CODAS = "b ck d ft g ll m mp n nd ng nt p r rk rd rm rn sh ss st t th x"
_NOUN_ENDINGS = ("", "", "er", "ing", "ness", "ment", "ship", "let", "ation", "ity")
_ADJECTIVE_ENDINGS = ("able", "ful", "less", "ish", "ed", "ing", "al", "ous", "like")
_SIZES = {"n": 24_000, "a": 9_000}

# Chances that a word belongs to the pair's own subject, or else to the article's.
_OWN, _ARTICLE = 0.5, 0.85

# Code of the language → name of a statement, first word of a proof, sentences.
LANGUAGES = {
    "fr": (
        "Théorème",
        "Démonstration.",
        "Nous allons montrer que cette suite converge vers une limite qui ne dépend pas du choix. "
        "On suppose désormais que tous les anneaux sont commutatifs et possèdent une unité. "
        "Puisque cette application est injective, son noyau est réduit à zéro. "
        "Ceci achève la preuve du lemme, et le théorème s'en déduit aussitôt.",
    ),
    "de": (
        "Satz",
        "Beweis.",
        "Wir zeigen zunächst, dass die Folge gegen einen Grenzwert konvergiert, der nicht davon abhängt. "
        "Alle Ringe seien im Folgenden kommutativ und besitzen ein Einselement. "
        "Daraus folgt sofort, dass der Kern dieser Abbildung nur aus der Null besteht. "
        "Damit ist der Hilfssatz bewiesen, und der Satz ergibt sich ohne weitere Mühe.",
    ),
    "ru": (
        "Теорема",
        "Доказательство.",
        "Покажем сначала, что эта последовательность сходится к пределу, который не зависит от выбора. "
        "Все кольца в этой работе предполагаются коммутативными и имеют единицу. "
        "Отсюда сразу следует, что ядро этого отображения состоит только из нуля. "
        "Тем самым лемма доказана, и теорема вытекает из неё без труда.",
    ),
}

Words = dict[str, tuple[str, ...]]  # "n": nouns, "a": adjectives


@dataclass(frozen=True, slots=True)
class Subject:
    """What a text is about: words of the pair and of its article, and numbers of letters."""

    own: Words
    article: Words
    letters: list[int]


@cache
def vocabulary() -> Words:
    """Make all words, the most frequent first: some real ones, and many invented from syllables."""
    random = Random("vocabulary")  # noqa: S311 - not for cryptography
    onsets, nuclei, codas = _ONSETS.split(), _NUCLEI.split(), _CODAS.split()
    words = {}
    for kind, real, endings in (("n", _NOUNS, _NOUN_ENDINGS), ("a", _ADJECTIVES, _ADJECTIVE_ENDINGS)):
        found = dict.fromkeys(real.split())
        while len(found) < _SIZES[kind]:
            syllables = "".join(
                random.choice(onsets) + random.choice(nuclei) for _ in range(random.choice((0, 0, 1)))
            )
            stem = syllables + "".join(map(random.choice, (onsets, nuclei, codas)))
            found[stem + random.choice(endings)] = None
        words[kind] = tuple(found)
    return words


def draw_words(random: Random, nouns: int, adjectives: int) -> Words:
    """Draw words by Zipf's law, as the subject of an article or a pair."""
    return {
        kind: tuple(_zipf(random, vocabulary()[kind]) for _ in range(count))
        for kind, count in (("n", nouns), ("a", adjectives))
    }


def english(random: Random, count: int, subject: Subject) -> list[str]:
    """Write so many words about a subject."""
    text: list[str] = []
    while len(text) < count:
        is_first = not text or text[-1][-1] == "."
        for word in random.choice(_phrases()):
            if word[0] == "{":
                chance = random.random()
                source = subject.own if chance < _OWN else subject.article if chance < _ARTICLE else None
                drawn = random.choice(source[word[1]]) if source else _zipf(random, vocabulary()[word[1]])
                text.append(drawn + word[3:])
            else:
                text.append(word.capitalize() if is_first else word)
            is_first = False
    return text[:count]


def foreign(random: Random, count: int, language: str) -> list[str]:
    """Write so many words in another language."""
    sentences = [f"{sentence.rstrip('.')}." for sentence in LANGUAGES[language][2].split(". ")]
    text: list[str] = []
    while len(text) < count:
        text += random.choice(sentences).split()
    return text[:count]


@cache
def _phrases() -> list[list[str]]:
    return [phrase.split() for phrase in _PHRASES.strip().splitlines()]


def _zipf(random: Random, words: tuple[str, ...]) -> str:
    """Draw a word whose probability is inversely proportional to its rank."""
    return words[int(exp(random.random() * log(len(words) + 1))) - 1]
