"""Starts and stops the Hub and its storage, and routes requests to their handlers.

The storage of large objects has another origin than the Hub, and takes signed URLs instead of tokens.
"""

import hashlib
import re
import socket
import struct
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from types import TracebackType
from urllib.parse import unquote

from . import files, repositories
from .exchange import Handler, Refusal, Request, Response
from .state import Account, Hub

PATIENCE = 60.0  # seconds after which a stalled upload goes on by itself
FIXED = {
    ("GET", "/api/whoami-v2"): repositories.whoami,
    ("POST", "/api/validate-yaml"): repositories.validate_card,
    ("POST", "/api/repos/create"): repositories.create,
    ("DELETE", "/api/repos/delete"): repositories.delete,
}
API = re.compile(r"/api/(models|datasets|spaces)/([^/]+/[^/]+)(?:/([a-z-]+)((?:/[^/]+)*))?")
ABOUT_REPOSITORY = {
    ("GET", "revision"): repositories.describe,
    ("GET", "refs"): repositories.refs,
    ("GET", "commits"): repositories.commits,
    ("POST", "tag"): repositories.change_tag,
    ("DELETE", "tag"): repositories.change_tag,
    ("POST", "branch"): repositories.change_branch,
    ("DELETE", "branch"): repositories.change_branch,
    ("GET", "tree"): files.tree,
    ("POST", "paths-info"): files.paths_info,
    ("POST", "preupload"): files.preupload,
    ("POST", "commit"): files.commit,
}
LFS = re.compile(r"/(datasets/|spaces/)?([^/]+/[^/]+)\.git/info/lfs/objects/(batch|verify)")
FILE = re.compile(r"/(datasets/|spaces/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)")


def answer(hub: Hub, request: Request) -> Response:
    with hub.lock:
        if endpoint := FIXED.get((request.method, request.path)):
            return endpoint(hub, request)
        if match := API.fullmatch(request.path):
            kind, name, about, rest = match.groups()
            arguments = [unquote(part) for part in (rest or "").split("/")[1:]]
            if about is None:
                about, arguments = "revision", ["main"]
            if endpoint := ABOUT_REPOSITORY.get((request.method, about)):
                return endpoint(hub, request, kind, name, *arguments)
        if match := LFS.fullmatch(request.path):
            kind = (match[1] or "models").rstrip("/")
            return {"batch": files.batch, "verify": files.verify}[match[3]](hub, request, kind, match[2])
        if request.method in ("GET", "HEAD") and (match := FILE.fullmatch(request.path)):
            kind = (match[1] or "models").rstrip("/")
            return files.resolve(hub, request, kind, *match.groups()[1:])
    raise Refusal(404, f"{request.method} {request.path} is not served here")


def answer_storage(hub: Hub, request: Request) -> Response:
    oid = request.path.strip("/")
    if "authorization" in request.headers:
        raise Refusal(400, "Only one auth mechanism allowed")
    if request.query.get("signature") != ["put" if request.method == "PUT" else "get"]:
        raise Refusal(403, "Access denied")
    if request.method == "PUT":
        if hashlib.sha256(request.body).hexdigest() != oid:
            raise Refusal(400, "The content does not have the hash that was announced")
        with hub.lock:
            hub.objects[oid] = request.body
            hub.arrived.append(oid)
        return Response(200)
    if oid not in hub.objects:
        raise Refusal(404, "No such object")
    return files.ranged(
        request, hub.objects[oid], {"ETag": f'"{oid}"', "Content-Type": "application/octet-stream"}
    )


class StorageHandler(Handler):
    """Sends and receives objects, and breaks off where it is told to."""

    hub: Hub

    def do_PUT(self) -> None:  # noqa: N802 - named by http.server
        faults = self.hub.faults
        with self.hub.lock:
            number = next(self.hub.upload_numbers)
        if not faults.cuts(number) and number != faults.stall_at:
            self.respond()
            return
        type(self).record(self.head())
        self.rfile.read(int(self.headers["Content-Length"]) // 2)
        if number == faults.stall_at:
            faults.stalled.set()
            faults.resume.wait(PATIENCE)
        self._reset()

    def do_GET(self) -> None:  # noqa: N802 - named by http.server
        faults = self.hub.faults
        with self.hub.lock:
            cut, reset = faults.cut_downloads > 0, faults.cut_downloads <= 0 < faults.reset_downloads
            faults.cut_downloads -= cut
            faults.reset_downloads -= reset
        if not cut and not reset:
            self.respond()
            return
        request = self.head()
        type(self).record(request)
        response = type(self).answer(request)
        half = response.body[: len(response.body) // 2]
        self.send(
            Response(response.status, half, {**response.headers, "Content-Length": str(len(response.body))})
        )
        self.close_connection = True
        if reset:
            self.wfile.flush()
            self._reset()

    def _reset(self) -> None:
        """Close the connection the hard way, so that the client cannot take it for an answer."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RD)
        self.connection.close()


class LoopbackHub(Hub):
    """The Hub on 127.0.0.1, its storage on another port; a context manager."""

    def __enter__(self) -> "LoopbackHub":
        shared = {"record": self.requests.append}
        hub = type("HubHandler", (Handler,), {"host": "hub", "answer": partial(answer, self), **shared})
        keeper = type(
            "Keeper",
            (StorageHandler,),
            {"host": "storage", "hub": self, "answer": partial(answer_storage, self), **shared},
        )
        self._servers = [ThreadingHTTPServer(("127.0.0.1", 0), handler) for handler in (hub, keeper)]
        self.url, self.storage_url = (f"http://127.0.0.1:{server.server_port}" for server in self._servers)
        for server in self._servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.faults.resume.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def add_token(self, user: str, role: str = "write") -> str:
        """Make a token of a user, who owns the repositories under that name."""
        token = f"hf_{role}{user.title()}{len(self.accounts):04d}"
        self.accounts[token] = Account(user, role)
        return token
