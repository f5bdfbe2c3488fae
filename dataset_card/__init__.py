"""The dataset card of a release, rendered from its statistics."""

from .card import render_card

__all__ = ["render_card"]
