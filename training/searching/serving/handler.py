"""Requests of browsers, and the answers to them."""

import json
import sys
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, cast

from .limits import MOST_BYTES, Refused, read_request

if TYPE_CHECKING:
    from .server import SearchServer

_PAGE, _SEARCH = "/", "/search"
_METHODS = {_PAGE: "GET, HEAD", _SEARCH: "POST"}
# Bytes of a request that is too long, which a client wants to be rid of before it listens.
_DISCARDED = 1_000_000
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NO_PAGE = "default-src 'none'; frame-ancestors 'none'"  # the policy of what is no page


class SearchHandler(BaseHTTPRequestHandler):
    """Answers one request; the connection ends with it."""

    timeout = 10  # seconds that a client may be silent

    @property
    def _server(self) -> "SearchServer":
        return cast("SearchServer", self.server)

    def version_string(self) -> str:
        """Tell who answers, and not in which version."""
        return "proofmatch"

    def log_message(self, format: str, *args: object) -> None:
        """Keep no record of requests."""

    def handle_one_request(self) -> None:
        """Answer, whoever may have left meanwhile."""
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
        """Refuse what the library cannot read."""
        del message, explain
        self.request_version = "HTTP/1.0"  # even to those who did not say theirs, an answer has headers
        if code == HTTPStatus.NOT_IMPLEMENTED:
            code = HTTPStatus.METHOD_NOT_ALLOWED
        self._send_json(code, {"error": f"the request is not understood ({HTTPStatus(code).phrase})"})

    def _answer(self, answer: Any) -> None:  # noqa: ANN401
        try:
            self._check_names()
            self._check_route()
            answer()
        except Refused as refused:
            self._send_json(refused.status, {"error": refused.sentence})
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:
            print(f"a search failed ({type(error).__name__})", file=sys.stderr, flush=True)
            self._send_json(500, {"error": "the search failed; try another wording"})

    def _check_names(self) -> None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or not self._server.names.has(hosts[0].strip()):
            raise Refused(421, "this server does not go by that name")
        # Pages of other sites may send requests here, but not hide where they are from.
        if self.headers.get("Origin", f"http://{hosts[0]}") != f"http://{hosts[0]}":
            raise Refused(403, "requests come from the page itself only")

    def _check_route(self) -> None:
        if self.path not in _METHODS:
            raise Refused(404, "there is nothing here; the page is at /")
        if self.command not in _METHODS[self.path].split(", "):
            raise Refused(405, f"{self.path} takes {_METHODS[self.path]} only")

    def _send_page(self) -> None:
        page = self._server.page
        policy = {"Content-Security-Policy": page.policy}
        self._send(200, page.html, "text/html; charset=utf-8", policy)

    def _search(self) -> None:
        began = time.perf_counter()
        wanted = read_request(self._body(), self._server.service.searcher.splits)
        answer = self._server.service.answer(wanted)
        self._send_json(200, answer)
        seconds = time.perf_counter() - began
        print(f"search: {len(answer['hits'])} proofs in {seconds:.2f} s", file=sys.stderr, flush=True)

    def _body(self) -> bytes:
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Refused(415, "a search is sent as application/json")
        lengths = self.headers.get_all("Content-Length") or []
        if "Transfer-Encoding" in self.headers or len(lengths) != 1:
            raise Refused(411, "a search is sent with its length")
        if not (lengths[0].isascii() and lengths[0].isdecimal()) or len(lengths[0]) > 18:
            raise Refused(400, "the length of the request is no number")
        length = int(lengths[0])
        if length > MOST_BYTES:
            self.rfile.read(min(length, _DISCARDED))
            raise Refused(413, f"the request has {length:,} bytes, and may have {MOST_BYTES:,}")
        body = self.rfile.read(length)
        if len(body) < length:
            raise Refused(400, "the request ends too early")
        return body

    def _send_json(self, status: int, fields: Mapping[str, Any]) -> None:
        body = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
        more = {"Content-Security-Policy": _NO_PAGE}
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
