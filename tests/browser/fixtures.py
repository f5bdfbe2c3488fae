"""Fixtures for tests of pages; import them in a `conftest.py`."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 20_000  # milliseconds; machines can be busy
OFFLINE = [
    "--no-proxy-server",  # a proxy would resolve names where the next line does not
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
]


@dataclass
class Visit:
    """A page in a browser window of its own, and what happened there."""

    page: "Page"
    url: str
    errors: list[str] = field(default_factory=list)  # of the console, exceptions, failed requests
    requests: list[str] = field(default_factory=list)  # all but the page itself, data: and blob:

    def check(self) -> None:
        """Assert that nothing went wrong so far, and that no other host was asked for anything."""
        if not self.page.is_closed():
            self.page.wait_for_timeout(100)  # events arrive only while the browser is waited for
        assert not self.errors, f"errors at {self.url}: {self.errors}"
        elsewhere = [url for url in self.requests if _origin(url) not in (_origin(self.url), "file://")]
        assert not elsewhere, f"requests of {self.url} to elsewhere: {elsewhere}"


@dataclass(frozen=True)
class Chromium:
    """A running browser. Playwright marks its event loop as running for as long as the browser lives."""

    browser: "Browser"
    loop: asyncio.AbstractEventLoop

    @contextmanager
    def in_use(self) -> Iterator["Browser"]:
        """Let the mark be there only meanwhile: other tests of this process may want a loop of their own."""
        asyncio._set_running_loop(self.loop)
        try:
            yield self.browser
        finally:
            asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install playwright")
    program = find_chromium()
    if program is None:
        pytest.skip("no chromium on this machine: apt install chromium, or set PROOFMATCH_CHROMIUM")
    with playwright.sync_playwright() as driver:
        # Without its sandbox, which is playwright's default: root and containers cannot have it.
        browser = driver.chromium.launch(executable_path=program, args=OFFLINE, timeout=60_000)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield Chromium(browser, loop)
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def visit(chromium: Chromium) -> Iterator[Callable[..., Visit]]:
    """A function that opens a file or URL; what it opened is checked at the end of the test."""
    visits: list[Visit] = []

    def visit(
        target: str | Path,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        javascript: bool = True,
        media: str | None = None,
        checked: bool = True,
    ) -> Visit:
        """Open a page.

        Args:
            target: A file or URL.
            width: Of the window, in pixels of CSS.
            height: The same.
            dark: Whether the user prefers dark colours.
            javascript: Whether scripts run.
            media: `print`, or `screen`.
            checked: Whether the visit is checked at the end of the test.
        """
        url = target if isinstance(target, str) and ":" in target else Path(target).resolve().as_uri()
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=javascript,
        )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        visit = Visit(page, url)
        _record(context, visit)
        if checked:
            visits.append(visit)
        if media is not None:
            page.emulate_media(media=media)
        page.goto(url)
        return visit

    with chromium.in_use() as browser:
        try:
            yield visit
            for one in visits:
                one.check()
        finally:
            for context in browser.contexts:
                context.close()


def find_chromium() -> str | None:
    """Find a browser to drive; `PROOFMATCH_CHROMIUM` says which."""
    return os.environ.get("PROOFMATCH_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def _record(context: "BrowserContext", visit: Visit) -> None:
    """Listen to a window and all that it opens."""

    def note_request(url: str) -> None:
        if url != visit.url and urlsplit(url).scheme not in ("data", "blob"):
            visit.requests.append(url)

    def note(error: str) -> None:
        visit.errors.append(error)

    context.on("request", lambda request: note_request(request.url))
    context.on("requestfailed", lambda request: note(f"request failed: {request.url} ({request.failure})"))
    context.on("weberror", lambda error: note(f"exception: {error.error}"))
    context.on(
        "console",
        lambda message: message.type in ("error", "warning") and note(f"{message.type}: {message.text}"),
    )
    visit.page.on("websocket", lambda socket: note_request(socket.url))
    visit.page.on("crash", lambda _: note("the page crashed"))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
