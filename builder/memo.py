"""A memory for small functions that are called millions of times with the same few thousand arguments."""

from collections.abc import Callable

_CAPACITY = 1 << 16

LONGEST = 200
"""Characters of what is worth remembering: longer ones do not come again, and might fill the memory."""


class Memo(dict[str, str]):
    """Looks up `memo[argument]`, and computes what it has not seen.

    A subscript of a dictionary costs half as much as a call through `functools.lru_cache`. What is full
    is emptied: vocabularies are small, so only hostile input fills it.

    Args:
        compute: The function.
    """

    def __init__(self, compute: Callable[[str], str]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, argument: str) -> str:
        result = self._compute(argument)
        if len(argument) <= LONGEST:
            if len(self) >= _CAPACITY:
                self.clear()
            self[argument] = result
        return result
