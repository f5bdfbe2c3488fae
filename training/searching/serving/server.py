"""`proofmatch serve`: the port, limits on connections, and start and shutdown of the server."""

import gc
import json
import socket
import sys
from asyncio import TimerHandle, Transport
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from proofmatch.errors import ProofmatchError

from ....builder.release.release import open_release
from ....builder.release.schema import ALL, SPLITS
from ...prediction import load_matcher
from ..searcher import Searcher
from .app import MCP_PATH, POLICY_OF_DATA, SAFE_HEADERS, HostNames, is_address, is_loopback, make_app
from .mcp_tools import http_route, run_on_stdio
from .service import MAX_SECONDS, SearchService

_SECONDS_TO_ARRIVE = 10.0  # for a whole request
_SECONDS_TO_END = 5
_MAX_CONNECTIONS = 256
_MAX_HEAD = (
    128 * 1024
)  # bytes of a request's head; the application refuses shorter ones with a better message
_LOOPBACK = "127.0.0.1"


def serve(
    model: str,
    data: str,
    *,
    split: str = ALL,
    host: str = _LOOPBACK,
    port: int = 0,
    k: int = 5,
    mcp: bool = False,
) -> None:
    """Serve the page and the API until `KeyboardInterrupt`.

    Args:
        model: A folder of `proofmatch train`, or `OWNER/NAME` on the Hub.
        data: A release folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split to search.
        host: The host to listen on.
        port: The port; 0 for any free one.
        k: Number of hits that the page shows by default.
        mcp: Whether to serve the Model Context Protocol as well.

    Raises:
        ProofmatchError: If there is no such model, release or address, or the port is taken.
    """
    with take_port(host, port) as port_taken:  # first, because the rest may take minutes
        service, release = _open(model, data, split)
        names = HostNames(host, port_taken.getsockname()[1])
        app = make_app(
            service,
            names,
            model=Path(model).absolute().name if Path(model).is_dir() else model,
            release=release,
            k=k,
            mcp=http_route(service, MCP_PATH) if mcp else None,
        )
        gc.freeze()  # model and proofs stay; scanning them for garbage would double the time of a search
        url = url_of(host, names.port)
        greeting = f"{url} serves the search page; press Ctrl-C to stop"
        if mcp:
            greeting = f"{url} serves the search page, {url.rstrip('/')}{MCP_PATH} MCP; press Ctrl-C to stop"
        if not is_loopback(host):
            print(f"warning: everyone who reaches this machine at {host} can search here", file=sys.stderr)
        try:
            SearchServer(app, service, greeting).run([port_taken])
        except OSError as error:
            raise _cannot_listen(host, names.port, error) from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the page is no longer served") from None


def serve_on_stdio(model: str, data: str, *, split: str = ALL) -> None:
    """Serve the Model Context Protocol on standard input and output, until the input ends.

    Args:
        model: A folder of `proofmatch train`, or `OWNER/NAME` on the Hub.
        data: A release folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split to search.
    """
    service, _ = _open(model, data, split)
    gc.freeze()
    run_on_stdio(service)


def _open(model: str, data: str, split: str) -> tuple[SearchService, str]:
    release = open_release(data)
    searcher = Searcher(load_matcher(model), release, SPLITS if split == ALL else (split,))
    return SearchService(searcher), release.id


def take_port(host: str, port: int) -> socket.socket:
    """Take a port without listening yet.

    Raises:
        ProofmatchError: If this machine has no such address, or the port is taken.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise ProofmatchError(f"there is no host {host}; {_LOOPBACK} is this machine") from None
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind(address)
    except OSError as error:
        taken.close()
        raise _cannot_listen(host, port, error) from None
    return taken


def _cannot_listen(host: str, port: int, error: OSError) -> ProofmatchError:
    return ProofmatchError(
        f"cannot listen on {host}, port {port} ({error.strerror or error}); "
        "give another --port, or 0 for any free one"
    )


def url_of(host: str, port: int) -> str:
    """Return the URL of the page for a browser on this machine."""
    if is_address(host) and ip_address(host).is_unspecified:
        host = _LOOPBACK
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class SearchServer(uvicorn.Server):
    """Prints a greeting when it is ready, and refuses waiting searches when it shuts down.

    Args:
        app: The application.
        service: Its searches.
        greeting: What to print when it is ready.
    """

    def __init__(self, app: Any, service: SearchService, greeting: str | None = None) -> None:  # noqa: ANN401 - ASGI
        super().__init__(
            uvicorn.Config(
                app,
                http=SearchProtocol,
                ws="none",
                lifespan="on",
                log_level="critical",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_SECONDS_TO_END,
                h11_max_incomplete_event_size=_MAX_HEAD,
            )
        )
        self._service = service
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and print the greeting."""
        await super().startup(sockets)
        if self._greeting:
            print(self._greeting, flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish the current search."""
        self._service.end()
        await super().shutdown(sockets)


class SearchProtocol(H11Protocol):
    """Drops connections that take too long, and answers invalid HTTP with an error in JSON."""

    def connection_made(self, transport: Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Start the timer."""
        super().connection_made(transport)
        self._timers: list[TimerHandle] = [
            self.loop.call_later(_SECONDS_TO_ARRIVE, self._drop_unless_arrived),
            self.loop.call_later(_SECONDS_TO_ARRIVE + 2 * MAX_SECONDS, transport.abort),
        ]
        if len(self.connections) > _MAX_CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        for timer in self._timers:
            timer.cancel()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Answer a client that has closed its side after the request; refuse an incomplete request."""
        if self._has_arrived:
            return not self.cycle.response_complete  # whether to stay connected
        if self.cycle is not None or self.conn.trailing_data[0]:
            self.send_400_response("it ends too early")
        return False

    def send_400_response(self, msg: str) -> None:
        """Refuse invalid HTTP; called while the error of the parser is handled."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            status = getattr(sys.exception(), "error_status_hint", 400)
            kind = {"Content-Type": "application/json", "Content-Security-Policy": POLICY_OF_DATA}
            headers = list({**kind, **SAFE_HEADERS}.items())
            body = json.dumps({"error": f"the request is not understood ({msg.rstrip('.')})"}).encode()
            for event in (h11.Response(status_code=status, headers=headers), h11.Data(data=body)):
                self.transport.write(self.conn.send(event) or b"")
            self.transport.write(self.conn.send(h11.EndOfMessage()) or b"")
        self.transport.close()

    def _drop_unless_arrived(self) -> None:
        if not self._has_arrived:
            self.transport.abort()

    @property
    def _has_arrived(self) -> bool:
        return self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
