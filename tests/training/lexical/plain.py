"""Features of one text, found token by token: slow, and easy to believe."""

from collections import Counter
from dataclasses import dataclass

from proofmatch.training.lexical.words import look_up, stem


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
    return found


def plain_counts(tokens, input="both"):
    return Counter((one.group, one.what) for one in plain_features(tokens, input))
