"""Features and lexical scores computed by plain loops: slow, and easy to verify."""

import math
from collections import Counter
from dataclasses import dataclass

from proofmatch.builder.variants.letters import letter_of_token
from proofmatch.training.lexical.features import look_up, stem
from proofmatch.training.lexical.lexical_matcher import DENSE, SPARSE, LexicalMatcher


@dataclass(frozen=True)
class Plain:
    """A feature as a tuple of strings, which no hash can confuse."""

    group: str
    what: tuple[str, ...]
    begin: int
    end: int


def plain_features(tokens, input="both"):
    kept = [
        (place, token)
        for place, token in enumerate(tokens)
        if input == "both" or token.startswith("m") == (input == "math")
    ]
    found = []

    def add(group, what, first, last):
        found.append(Plain(group, tuple(what), kept[first][0], kept[last][0] + 1))

    def is_math(number):
        return 0 <= number < len(kept) and kept[number][1].startswith("m")

    def word(number):
        token = look_up(kept[number][1])
        return token.surface if token.is_word else None

    previous = None
    for number, (_, token) in enumerate(kept):
        if is_math(number):
            for size in (1, 2, 3, 4):
                if all(is_math(number + more) for more in range(size)):
                    gram = [kept[number + more][1] for more in range(size)]
                    add(f"math-{size}", gram, number, number + size - 1)
            if not is_math(number - 1) and is_math(number + 1):
                last = number
                while is_math(last + 1):
                    last += 1
                add("math-run", [kept[one][1] for one in range(number, last + 1)], number, last)
        elif word(number):
            add("word", [word(number)], number, number)
            add("stem", [stem(word(number))], number, number)
            for part in look_up(token).parts:
                add("stem", [stem(part)], number, number)
            if previous is not None:
                add("stem-2", [stem(word(previous)), stem(word(number))], previous, number)
            previous = number
        if number + 1 < len(kept) and is_math(number) != is_math(number + 1):
            sides = [
                kept[one][1] if is_math(one) else word(one) and "stem " + stem(word(one))
                for one in (number, number + 1)
            ]
            if all(sides):
                add("border", sides, number, number + 1)
    return found + plain_shapes(kept)


def plain_shapes(kept):
    """The features that do not see names: a variable is its sort and the place of its first occurrence."""
    found = []
    for size in range(1, 6):
        for number in range(len(kept) - size + 1):
            window = [token for _, token in kept[number : number + size]]
            is_math = [token.startswith("m") for token in window]
            fits = [
                is_symbol or look_up(token).is_word for is_symbol, token in zip(is_math, window, strict=True)
            ]
            if all(is_math):
                group = f"shape-{size}"
            elif size in (2, 3) and all(is_math[1:-1]) and all(fits):
                group = f"shape-word-{size}"
            else:
                continue
            what = []
            for token, is_symbol in zip(window, is_math, strict=True):
                letter = letter_of_token[token] if is_symbol else ""
                if letter:
                    sort = token[:-1], letter.isascii(), letter.isupper()
                    what.append(f"{sort} {window.index(token)}")
                else:
                    what.append(token if is_symbol else "stem " + stem(look_up(token).surface))
            found.append(Plain(group, tuple(what), kept[number][0], kept[number + size - 1][0] + 1))
    return [one for one in found if not (one.group.startswith("shape-word") and _only_words(kept, one))]


def _only_words(kept, feature):
    return not any(token.startswith("m") for place, token in kept if feature.begin <= place < feature.end)


def plain_counts(tokens, input="both"):
    return Counter((one.group, one.what) for one in plain_features(tokens, input))


SIDES = {"statement": 0, "proof": 1}
BUCKETS = 24


def as_dict(bag):
    """The features of a text, by their hashes: how often, and of which group."""
    return {int(entry["feature"]): (int(entry["count"]), int(entry["group"])) for entry in bag}


def text_counts(texts):
    """In how many texts each feature is."""
    counts = {}
    for text in texts:
        for feature in text:
            counts[feature] = counts.get(feature, 0) + 1
    return counts


class PlainScores:
    """Scores texts that are given as dictionaries, with the weights of a matcher.

    Args:
        matcher: Whose weights.
        counted: All training texts.
    """

    def __init__(self, matcher: LexicalMatcher, counted) -> None:
        self.config = config = matcher.config
        self.weights = {name: value.tolist() for name, value in matcher.named_parameters()}
        self.n_texts = len(counted)
        self.counts = {
            feature: count for feature, count in text_counts(counted).items() if count >= config.min_frequency
        }
        groups = {feature: group for text in counted for feature, (_, group) in text.items()}
        frequent = sorted(
            feature for feature, count in self.counts.items() if count >= config.min_weight_frequency
        )
        rows = [feature for feature in frequent if config.groups[groups[feature]] in config.table_groups]
        self.places = {
            SPARSE: {feature: place for place, feature in enumerate(frequent, 1)},
            DENSE: {feature: place for place, feature in enumerate(rows, 1)},
        }

    def frequency(self, feature, without=()):
        """How many of the training texts have it, except some of them."""
        if feature not in self.counts:
            return 0
        return self.counts[feature] - sum(feature in text for text in without)

    def values(self, part, side, text, without=()):
        at = SIDES[side]
        weights = {}
        for feature, (count, group) in text.items():
            place = self.places[part].get(feature, 0)
            if part == DENSE and not place:
                continue
            if part == SPARSE and not self.config.has_own_weights:
                place = 0
            frequency = self.frequency(feature, without)
            saturation = math.exp(self.weights["saturations"][part][at][group])
            saturated = count * (1 + saturation) / (count + saturation)
            idf = math.log((self.n_texts + 1) / (frequency + 1)) + 1
            bucket = min(int(math.log2(frequency + 1)), BUCKETS - 1)
            learned = self.weights["frequency_weights"][part][at][group][bucket]
            own = self.weights[("sparse_weights", "dense_weights")[part]][at][place]
            weights[feature] = saturated * idf * math.exp(learned + own)
        return weights

    def dense(self, side, text, without=()):
        table = self.weights[f"tables.{SIDES[side]}"]
        total = [0.0] * self.config.rank
        for feature, value in self.values(DENSE, side, text, without).items():
            row = table[self.places[DENSE][feature]]
            total = [sum_ + value * one for sum_, one in zip(total, row, strict=True)]
        return dict(enumerate(total))

    def score(self, statement, proof, without=((), ())):
        """Score a pair.

        Args:
            statement: Its features.
            proof: Its features.
            without: For the statement and for the proof, the training texts that do not count.
        """
        scales = [math.exp(scale) for scale in self.weights["scales"]]
        score = 0.0
        if self.config.has_sparse_part:
            score += scales[SPARSE] * cosine(
                self.values(SPARSE, "statement", statement, without[0]),
                self.values(SPARSE, "proof", proof, without[1]),
            )
        if self.config.rank:
            score += scales[DENSE] * cosine(
                self.dense("statement", statement, without[0]), self.dense("proof", proof, without[1])
            )
        return score


def cosine(left, right):
    lengths = [math.sqrt(sum(value * value for value in one.values())) for one in (left, right)]
    if not all(lengths):
        return 0.0
    return sum(value * right.get(name, 0.0) for name, value in left.items()) / math.prod(lengths)
