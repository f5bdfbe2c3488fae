"""Ids and keys: hashes of content, independent of workers, order and position."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

_SEPARATOR = "\x1f"


def digest(*parts: str, size: int) -> str:
    """Hash strings into `size` bytes, written in hexadecimal."""
    return blake2b(_SEPARATOR.join(parts).encode(), digest_size=size).hexdigest()


def pair_id(article_id: str, occurrence: int, *texts: str) -> str:
    """Derive the id of a pair from its article, its texts, and how often it occurred before."""
    return f"{article_id}#{digest(digest(article_id, *texts, size=16), str(occurrence), size=6)}"


def text_key(text: str) -> str:
    """Hash the readable text of a statement or proof; equal texts have equal keys."""
    return digest(text, size=16)


def text_ids(side: str, keys: Sequence[str], pair_ids: Sequence[str]) -> list[str]:
    """Derive the opaque ids of all statements or proofs of a release.

    An id depends on the text alone, so it neither reveals nor confirms the partner, the article or the order.
    Equal texts are numbered in an order that is keyed with all pair ids of the release: checking a guess
    against the numbers requires all pairs, including the unknown ones.

    Args:
        side: `statement` or `proof`.
        keys: The `text_key` of each.
        pair_ids: The id of the pair of each; all different.
    """
    counts, seen = Counter(keys), Counter[str]()
    salt = digest(side, *sorted(pair_ids), size=16)
    repeated = [row for row, key in enumerate(keys) if counts[key] > 1]
    numbers = [0] * len(keys)
    for row in sorted(repeated, key=lambda row: digest(salt, pair_ids[row], size=16)):
        numbers[row] = seen[keys[row]]
        seen[keys[row]] += 1
    return [text_id(side, key, number) for key, number in zip(keys, numbers, strict=True)]


def text_id(side: str, key: str, number: int = 0) -> str:
    """Derive the id of a statement or proof from its key and its number among equal texts."""
    return f"{side[0]}-{digest(side, key, str(number), size=10)}"


def split_key(seed: int, unit: str) -> str:
    """Derive the key that places a pair or an article in the random order the splits are cut from."""
    return digest("split", str(seed), unit, size=16)
