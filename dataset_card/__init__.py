"""The dataset card of a release, and the release on the Hub."""

from typing import TYPE_CHECKING

from proofmatch.lazy import lazy_exports

if TYPE_CHECKING:
    from .card import render_card
    from .hub.push import push_release

__all__ = ["push_release", "render_card"]

__getattr__ = lazy_exports(__name__, {"push_release": ".hub.push", "render_card": ".card"})
