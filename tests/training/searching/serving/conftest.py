"""A running server of the search page, on its own port."""

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.training.prediction import load_matcher
from proofmatch.training.searching.searcher import Searcher
from proofmatch.training.searching.serving.app import HostNames, make_app
from proofmatch.training.searching.serving.mcp_tools import http_route
from proofmatch.training.searching.serving.server import SearchServer, take_port
from proofmatch.training.searching.serving.service import SearchService

STATEMENT = r"Let $p$ be a prime. Then $(p-1)! \equiv -1 \pmod p$."
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def fields(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A server that is running."""

    port: int
    service: SearchService
    server: SearchServer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request as programs do; a body that is no bytes goes as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            if body is not None and not isinstance(body, bytes):
                body = json.dumps(body).encode()
                sent.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def search(self, statement: Any = STATEMENT, **fields: Any) -> Answer:
        return self.ask("POST", "/search", {"statement": statement, **fields})


@contextmanager
def running(service: SearchService, host: str = "127.0.0.1", *, mcp: bool = False) -> Iterator[Served]:
    with take_port(host, 0) as taken:
        names = HostNames(host, taken.getsockname()[1])
        route = http_route(service, "/mcp") if mcp else None
        server = SearchServer(make_app(service, names, model="model", release="release", mcp=route), service)
        thread = threading.Thread(target=server.run, args=([taken],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        try:
            yield Served(names.port, service, server)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="session")
def searcher(lexical_model: Path, release: Path) -> Searcher:
    return Searcher(load_matcher(lexical_model), open_release(release), SPLITS)


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """A function that serves a searcher until the end of the test."""
    with ExitStack() as stack:
        yield lambda searcher, **more: stack.enter_context(running(SearchService(searcher), **more))


@pytest.fixture
def served(serve: Callable[..., Served], searcher: Searcher) -> Served:
    return serve(searcher)


@pytest.fixture(scope="session")
def hostile_release(articles: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose proofs and titles contain scripts."""
    folder = tmp_path_factory.mktemp("hostile")
    escaped = SCRIPT.replace("<", "&lt;").replace(">", "&gt;")
    for name in ("sample.0006.html", "sample.0012.html"):
        article = (articles / name).read_text(encoding="utf-8")
        changed = article.replace("∎</p>", f"{escaped} ∎</p>")
        changed = changed.replace("Sequences and", f"{escaped} Sequences and")
        assert changed != article
        (folder / "articles").mkdir(exist_ok=True)
        (folder / "articles" / name).write_text(changed, encoding="utf-8")
    return build_release(folder / "articles", folder / "release", workers=1)
