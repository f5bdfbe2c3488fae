"""Ids and keys: hashes of content, independent of workers, order and position."""

from hashlib import blake2b

_SEPARATOR = "\x1f"


def digest(*parts: str, size: int) -> str:
    """Hash strings into `size` bytes, written in hexadecimal."""
    return blake2b(_SEPARATOR.join(parts).encode(), digest_size=size).hexdigest()


def pair_id(article_id: str, occurrence: int, *texts: str) -> str:
    """Derive the id of a pair from its article, its texts, and how often it occurred before."""
    return f"{article_id}#{digest(digest(article_id, *texts, size=16), str(occurrence), size=6)}"


def statement_id(pair_id: str) -> str:
    """Derive a statement's opaque id."""
    return "s-" + digest("statement", pair_id, size=10)


def proof_id(pair_id: str) -> str:
    """Derive a proof's opaque id, unrelated to the statement's."""
    return "p-" + digest("proof", pair_id, size=10)


def split_key(seed: int, unit: str) -> str:
    """Derive the key that places a pair or an article in the random order the splits are cut from."""
    return digest("split", str(seed), unit, size=16)
