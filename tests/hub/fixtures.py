"""Fixtures for whoever talks to the Hub; import them in a `conftest.py`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .client import Client
from .server import LoopbackHub

OWNER = "ada"


@pytest.fixture
def hub() -> Iterator[LoopbackHub]:
    with LoopbackHub() as hub:
        yield hub


@pytest.fixture
def owner(hub: LoopbackHub, tmp_path: Path) -> Client:
    """A client that may write to the repositories of `OWNER`."""
    return Client(hub, tmp_path / "home", hub.add_token(OWNER))


@pytest.fixture
def stranger(hub: LoopbackHub, tmp_path: Path) -> Client:
    """A client without a token."""
    return Client(hub, tmp_path / "home of a stranger")
