"""The HTTP server of the search page: two routes, no files, and limits to everything."""

import gc
import json
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from socketserver import TCPServer
from typing import Any, cast
from weakref import WeakSet

from proofmatch.errors import ProofmatchError

from ....builder.release.release import open_release
from ...prediction import load_matcher
from ..searcher import Searcher
from .page import Page, make_page
from .service import MAX_BYTES, Refused, SearchService, read_request

_MAX_CONNECTIONS = 32
_MAX_SECONDS = 60.0  # from the first byte of a request to the last of its answer
_SECONDS_TO_FINISH = 5.0

_PAGE, _SEARCH = "/", "/search"
_METHODS = {_PAGE: "GET, HEAD", _SEARCH: "POST"}
# Most clients listen for an answer only after they have sent the whole request: of one that is too long, so
# many bytes are read and discarded.
_MAX_DISCARDED = 1_000_000
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_POLICY_OF_DATA = "default-src 'none'; frame-ancestors 'none'"

_LOOPBACK = "127.0.0.1"
_LOOPBACK_NAMES = frozenset({"localhost", _LOOPBACK, "::1"})
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\s:\[\]/@]+))(?::(?P<port>\d{1,5}))?")
_PORT_OF_HTTP = 80


def serve(model: str, data: str, splits: Sequence[str], host: str, port: int, top: int) -> None:
    """Serve the search page until `KeyboardInterrupt`.

    Args:
        model: A folder of `proofmatch train`, or `OWNER/NAME` on the Hub.
        data: A release folder, or `OWNER/NAME[@REVISION]` on the Hub.
        splits: The splits to search.
        host: The host to listen on.
        port: The port; 0 for any free one.
        top: Number of proofs that the page shows by default.

    Raises:
        ProofmatchError: If there is no such model, release or address, or the port is taken.
    """
    server = SearchServer(host, port)  # first, because the rest may take minutes
    try:
        release = open_release(data)
        searcher = Searcher(load_matcher(model), release, splits)
        service = SearchService(searcher)
        page = make_page(
            model=Path(model).absolute().name if Path(model).is_dir() else model,
            release=release.id,
            n_proofs=len(searcher),
            splits=searcher.splits,
            top=top,
            without_reasons=service.without_reasons,
        )
        server.listen()
        gc.freeze()  # model and proofs stay; scanning them for garbage would double the time of a search
    except BaseException:
        server.server_close()
        raise
    if not is_loopback(host):
        print(
            f"warning: everyone who reaches this machine at {host} can search here",
            file=sys.stderr,
            flush=True,
        )
    print(f"{url_of(host, server.names.port)} has the page; Ctrl-C ends it", flush=True)
    with _graceful_interrupt(server):
        server.serve(service, page)
    raise KeyboardInterrupt("the page is no longer served")


@contextmanager
def _graceful_interrupt(server: "SearchServer") -> Iterator[None]:
    """Shut the server down on SIGINT after it has dispatched the current request.

    An exception during the dispatch would close the connection under the thread that answers it.
    """

    def end(*_: object) -> None:
        # `shutdown` waits for the loop, which runs in the thread that the signal has stopped.
        threading.Thread(target=server.shutdown).start()

    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:  # which shells set for background jobs
        signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class SearchHandler(BaseHTTPRequestHandler):
    """Answers one request per connection."""

    timeout = 10  # seconds of silence before a client is dropped

    @property
    def _search_server(self) -> "SearchServer":
        return cast("SearchServer", self.server)

    def version_string(self) -> str:
        """Name the server without its version."""
        return "proofmatch"

    def log_message(self, format: str, *args: object) -> None:
        """Do not log requests."""

    def handle_one_request(self) -> None:
        """Answer, and ignore clients that disconnect."""
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def do_GET(self) -> None:
        """Send the page."""
        self._answer(self._send_page)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        """Search."""
        self._answer(self._search)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what the library cannot parse."""
        del message, explain
        self.request_version = "HTTP/1.0"  # so that an answer always has headers
        if code == HTTPStatus.NOT_IMPLEMENTED:
            code = HTTPStatus.METHOD_NOT_ALLOWED
        self._send_json(code, {"error": f"the request is not understood ({HTTPStatus(code).phrase})"})

    def _answer(self, answer: Callable[[], None]) -> None:
        try:
            self._check_origin()
            self._check_route()
            answer()
        except Refused as refused:
            self._send_json(refused.status, {"error": refused.sentence})
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:
            print(f"a search failed ({type(error).__name__})", file=sys.stderr, flush=True)
            self._send_json(500, {"error": "the search failed; try another wording"})

    def _check_origin(self) -> None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or not self._search_server.names.has(hosts[0].strip()):
            raise Refused(421, "this server does not have that name")
        # Pages of other sites can send requests here, but browsers add their origin.
        if self.headers.get("Origin", f"http://{hosts[0]}") != f"http://{hosts[0]}":
            raise Refused(403, "only requests from the page itself are answered")

    def _check_route(self) -> None:
        if self.path not in _METHODS:
            raise Refused(404, "there is nothing here; the page is at /")
        if self.command not in _METHODS[self.path].split(", "):
            raise Refused(405, f"{self.path} takes {_METHODS[self.path]} only")

    def _send_page(self) -> None:
        page = self._search_server.page
        policy = {"Content-Security-Policy": page.policy}
        self._send(200, page.html, "text/html; charset=utf-8", policy)

    def _search(self) -> None:
        began = time.perf_counter()
        request = read_request(self._body(), self._search_server.service.searcher.splits)
        answer = self._search_server.service.answer(request)
        self._send_json(200, answer)
        seconds = time.perf_counter() - began
        print(f"search: {len(answer['hits'])} proofs in {seconds:.2f} s", file=sys.stderr, flush=True)

    def _body(self) -> bytes:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "a search must be sent as application/json")
        lengths = self.headers.get_all("Content-Length") or []
        if "Transfer-Encoding" in self.headers or len(lengths) != 1:
            raise Refused(411, "a search must be sent with one Content-Length")
        if not (lengths[0].isascii() and lengths[0].isdecimal()) or len(lengths[0]) > 18:
            raise Refused(400, "the Content-Length of the request is not a number")
        length = int(lengths[0])
        if length > MAX_BYTES:
            self.rfile.read(min(length, _MAX_DISCARDED))
            raise Refused(413, f"the request has {length:,} bytes, and may have {MAX_BYTES:,}")
        body = self.rfile.read(length)
        if len(body) < length:
            raise Refused(400, "the request ends too early")
        return body

    def _send_json(self, status: int, fields: Mapping[str, Any]) -> None:
        body = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        more = {"Content-Security-Policy": _POLICY_OF_DATA}
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            more["Retry-After"] = "1"
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            more["Allow"] = _METHODS.get(self.path, "") if hasattr(self, "path") else ""
        self._send(status, body, "application/json", more)

    def _send(self, status: int, body: bytes, kind: str, more: Mapping[str, str]) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in {"Content-Type": kind, **_HEADERS, **more}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class SearchServer(ThreadingHTTPServer):
    """Takes its port when it is made, and listens once there is something to serve.

    Args:
        host: A name or address of this machine.
        port: The port; 0 for any free one.

    Raises:
        ProofmatchError: If this machine has no such address, or the port is taken.
    """

    daemon_threads = True
    request_queue_size = _MAX_CONNECTIONS
    service: SearchService
    page: Page

    def __init__(self, host: str, port: int) -> None:
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        except (OSError, UnicodeError):
            raise ProofmatchError(f"there is no host {host}; 127.0.0.1 is this machine") from None
        self.address_family = family
        self._host = host
        self._free = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._since: dict[socket.socket, float] = {}
        self._answering: WeakSet[threading.Thread] = WeakSet()
        super().__init__((str(address[0]), port), SearchHandler, bind_and_activate=False)
        self._take_port(self.server_bind)
        self.names = HostNames(host, self.server_address[1])

    def server_bind(self) -> None:
        """Take the port, without the library's DNS lookup."""
        TCPServer.server_bind(self)

    def listen(self) -> None:
        """Accept connections.

        Raises:
            ProofmatchError: If another program listens there by now.
        """
        self._take_port(self.server_activate)

    def serve(self, service: SearchService, page: Page) -> None:
        """Answer requests until `shutdown`, then finish those that have begun."""
        self.service, self.page = service, page
        try:
            self.serve_forever()
        finally:
            self.server_close()
            service.finish(_SECONDS_TO_FINISH)
            self._finish_answers()

    def _finish_answers(self) -> None:
        """Stop reading, and wait for the threads that still write.

        The interpreter would abort if it ended while one of them runs.
        """
        for request in list(self._since):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RD)
        until = time.monotonic() + _SECONDS_TO_FINISH
        while self._since and time.monotonic() < until:
            time.sleep(0.01)
        for thread in list(self._answering):
            thread.join(max(0.0, until - time.monotonic()))

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the library's types
        """Answer in a new thread, unless there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        self._since[request] = time.monotonic()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Answer, and release the connection."""
        self._answering.add(threading.current_thread())
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._since.pop(request, None)
            self._free.release()

    def service_actions(self) -> None:
        """Close connections that have been open for too long; called twice a second."""
        for request, since in list(self._since.items()):
            if time.monotonic() - since > _MAX_SECONDS:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401, ARG002
        """Report the kind of error, without the request."""
        kind = sys.exc_info()[0]
        if kind is not None and not issubclass(kind, (ConnectionError, TimeoutError)):
            print(f"a request failed ({kind.__name__})", file=sys.stderr, flush=True)

    def _take_port(self, step: Callable[[], None]) -> None:
        try:
            step()
        except OSError as error:
            self.server_close()
            where = f"{self._host}, port {self.server_address[1]}"
            raise ProofmatchError(
                f"cannot listen on {where} ({error.strerror or error}); "
                "give another --port, or 0 for any free one"
            ) from None


@dataclass(frozen=True, slots=True)
class HostNames:
    """The names of a server, as a protection against DNS rebinding.

    Another site can resolve its own name to this machine, so that its pages may talk to the server. Hence
    requests for other names are refused. Addresses are safe, because they are not resolved.

    Attributes:
        host: The name or address that the server listens on.
        port: The port.
    """

    host: str
    port: int

    def has(self, header: str) -> bool:
        """Whether a `Host` header names this server."""
        match = _HOST.fullmatch(header)
        if match is None or int(match["port"] or _PORT_OF_HTTP) != self.port:
            return False
        name = (match["address"] or match["name"]).lower().rstrip(".")
        if name in _LOOPBACK_NAMES or name == self.host.lower():
            return True
        own = socket.gethostname().lower()
        return not is_loopback(self.host) and (_is_address(name) or name in (own, f"{own}.local"))


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    return host == "localhost" or (_is_address(host) and ip_address(host).is_loopback)


def url_of(host: str, port: int) -> str:
    """Return the URL of the page for a browser on this machine."""
    if _is_address(host) and ip_address(host).is_unspecified:
        host = _LOOPBACK
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
