"""A fixture for tests of the builder: a web server that records its requests."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


@dataclass(frozen=True)
class WebServer:
    """A running server: the folder it serves, its address, and the paths it was asked for."""

    folder: Path
    url: str
    requests: list[str]


@pytest.fixture(scope="module")
def web_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    folder, requests = tmp_path_factory.mktemp("served"), []

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *_: object) -> None:
            requests.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield WebServer(folder, f"http://127.0.0.1:{server.server_port}", requests)
        server.shutdown()
        thread.join()
