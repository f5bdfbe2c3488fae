"""Kinds of arguments that argparse lacks."""

import argparse
from collections.abc import Sequence
from typing import Any


class InsteadOf(argparse.Action):
    """An option that may be given instead of a positional argument.

    A positional argument that is optional from the start would be taken for missing when options stand before
    it.
    """

    def __init__(self, other: argparse.Action, **settings: Any) -> None:  # noqa: ANN401 - argparse's own
        super().__init__(**settings)
        self._other = other

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Note that it was given, and ask for no positional argument."""
        del parser, option_string
        self._other.required = False
        setattr(namespace, self.dest, values if self.nargs is None else self.const)
