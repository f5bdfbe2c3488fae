"""Requests and responses as values, and the bridge to `http.server`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names are in lower case, the path is still quoted."""

    host: str
    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body or b"{}")


@dataclass(frozen=True)
class Response:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Refusal(Exception):  # noqa: N818 - an answer, not an accident
    """An answer in the form in which the Hub words its errors."""

    def __init__(self, status: int, message: str, code: str | None = None, **more: object) -> None:
        super().__init__(message)
        headers = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
        self.response = as_json({"error": message, **more}, status, headers)


def as_json(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    body = json.dumps(content).encode()
    return Response(status, body, {"Content-Type": "application/json", **(headers or {})})


class Handler(BaseHTTPRequestHandler):
    """Turns what arrives into a `Request`, has it answered, and sends the `Response`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are written apart, and would wait for each other
    host: str
    answer: Callable[[Request], Response]
    record: Callable[[Request], None]

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True  # the client has left

    def read_body(self) -> bytes:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        if len(body) < size:  # half a request is none
            raise ConnectionError("the client has left in the middle of a request")
        return body

    def head(self) -> Request:
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(self.host, self.command, parts.path, parse_qs(parts.query), headers)

    def respond(self) -> None:
        head = self.head()
        request = Request(**{**vars(head), "body": self.read_body()})
        type(self).record(request)
        try:
            response = type(self).answer(request)
        except Refusal as refusal:
            response = refusal.response
        self.send(response)

    def send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in {"Content-Length": str(len(response.body)), **response.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = respond  # noqa: N815 - named by http.server

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what was requested is recorded."""
