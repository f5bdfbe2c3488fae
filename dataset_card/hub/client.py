"""The Hub's own client, as we use it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from proofmatch import __version__

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def make_client(token: str | None) -> "HfApi":
    """Make a client that sends this token or none, whatever else is configured."""
    from huggingface_hub import HfApi

    return HfApi(token=token or False, library_name="proofmatch", library_version=__version__)


@contextmanager
def discreet_client() -> Iterator[None]:
    """Keep the client's bars from mixing with ours, and addresses, which can be signed, out of its notices.

    Notices without an address stay: they tell why nothing seems to happen, as in "Retrying in 8s".
    """
    from huggingface_hub import constants
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    handlers = list(logging.getLogger("huggingface_hub").handlers)
    bars = constants.HF_HUB_DISABLE_PROGRESS_BARS is None and not are_progress_bars_disabled()
    for handler in handlers:
        handler.addFilter(_has_no_address)
    if bars:
        disable_progress_bars()
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(_has_no_address)
        if bars:
            enable_progress_bars()


def _has_no_address(record: logging.LogRecord) -> bool:
    return "://" not in record.getMessage()
