"""Hashes that are the same in every process, on every machine and in every version of Python."""

from hashlib import blake2b

import numpy as np

# Odd numbers with about as many ones as zeros, from the constants of xxHash.
_FIRST, _SECOND, _THIRD = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)


def hash_text(text: str) -> int:
    """Hash a text to 64 bits."""
    # Half of a surrogate pair can stand in a Python string, though not in UTF-8.
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def combine(left: np.ndarray, right: np.ndarray | np.uint64) -> np.ndarray:
    """Hash pairs of hashes to one hash each. The order within a pair matters.

    Args:
        left: Hashes, `uint64`.
        right: As many, or one for all.
    """
    with np.errstate(over="ignore"):  # arithmetic modulo 2⁶⁴ is what is wanted
        mixed = left << np.uint64(6)
        mixed += left >> np.uint64(2)
        mixed += right
        mixed += _SECOND
        mixed ^= left * _FIRST
        mixed ^= mixed >> np.uint64(29)
        mixed *= _THIRD
        mixed ^= mixed >> np.uint64(32)
    return mixed
