"""Silence for libraries whose bars and reports would drown ours."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_library() -> Iterator[None]:
    """Let transformers say nothing but errors for a while."""
    from logging import CRITICAL

    from transformers.utils import logging

    level, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if had_bars:
            logging.enable_progress_bar()
