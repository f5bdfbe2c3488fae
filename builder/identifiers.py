"""Ids and keys: hashes of what they name, so that they do not depend on workers, order or position."""

from collections import Counter
from hashlib import blake2b

_SEPARATOR = "\x1f"


def digest(*parts: str, size: int) -> str:
    """Hash strings into `size` bytes, written in hexadecimal."""
    return blake2b(_SEPARATOR.join(parts).encode(), digest_size=size).hexdigest()


def pair_id(article_id: str, occurrence: int, *texts: str) -> str:
    """Derive the id of a pair from its article, its texts, and how often it was there before."""
    return f"{article_id}#{digest(digest(article_id, *texts, size=16), str(occurrence), size=6)}"


class PairIdentifier:
    """Names the pairs of one article by their content.

    Two equal pairs in one article are told apart by counting, the only place where order matters.
    """

    def __init__(self, article_id: str) -> None:
        self._article_id = article_id
        self._seen: Counter[tuple[str, str]] = Counter()

    def pair_id(self, statement: str, proof: str) -> str:
        """Name the next pair."""
        occurrence = self._seen[statement, proof]
        self._seen[statement, proof] += 1
        return pair_id(self._article_id, occurrence, statement, proof)


def statement_id(pair_id: str) -> str:
    """Derive a statement's opaque id."""
    return "s-" + digest("statement", pair_id, size=10)


def proof_id(pair_id: str) -> str:
    """Derive a proof's opaque id, unrelated to the statement's."""
    return "p-" + digest("proof", pair_id, size=10)


def split_key(seed: int, unit: str) -> str:
    """Derive the key that places a pair or an article in the random order the splits are cut from."""
    return digest("split", str(seed), unit, size=16)
