"""The dataset card of a release, and the release on the Hub."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .card import render_card
    from .hub.push import push_release

__all__ = ["push_release", "render_card"]

# On first use, so that a command does not load what it does not need.
_MODULES = {"push_release": ".hub.push", "render_card": ".card"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - the type of a module's attributes
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_MODULES[name], __name__), name)
