"""Starts and stops the Hub and its storage, and routes requests to what answers them."""

import re
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from types import TracebackType
from urllib.parse import unquote

from . import commits, files, repositories, storage
from .exchange import Handler, Refusal, Request, Response
from .state import Account, Hub

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
    ("POST", "preupload"): commits.preupload,
    ("POST", "commit"): commits.commit,
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
            return {"batch": commits.batch, "verify": commits.verify}[match[3]](hub, request, kind, match[2])
        if request.method in ("GET", "HEAD") and (match := FILE.fullmatch(request.path)):
            kind = (match[1] or "models").rstrip("/")
            return files.resolve(hub, request, kind, *match.groups()[1:])
    raise Refusal(404, f"{request.method} {request.path} is not served here")


class LoopbackHub(Hub):
    """The Hub on 127.0.0.1, its storage on another port; a context manager."""

    def __enter__(self) -> "LoopbackHub":
        shared = {"record": self.requests.append}
        hub = type("HubHandler", (Handler,), {"host": "hub", "answer": partial(answer, self), **shared})
        keeper = type(
            "Keeper",
            (storage.StorageHandler,),
            {"host": "storage", "hub": self, "answer": partial(storage.answer, self), **shared},
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
