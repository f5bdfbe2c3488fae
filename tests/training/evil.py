"""A pickle that does something when it is opened."""

from pathlib import Path


class Evil:
    """Leaves its mark as a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple:
        return Path.touch, (self.mark,)
