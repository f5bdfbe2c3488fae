"""The server of the search page: two routes, no files, and limits to everything."""

import socket
import sys
import time
from contextlib import suppress
from http.server import ThreadingHTTPServer
from socketserver import TCPServer
from threading import BoundedSemaphore, Thread, current_thread
from typing import Any
from weakref import WeakSet

from proofmatch.errors import ProofmatchError

from .handler import SearchHandler
from .hosts import Names
from .page import Page
from .service import SearchService

_MOST_CONNECTIONS = 32
_MOST_SECONDS = 60.0  # from the first byte of a request to the last of its answer
_SECONDS_TO_FINISH = 5.0


class SearchServer(ThreadingHTTPServer):
    """Has its port from the beginning, and listens once there is something to serve.

    Args:
        host: A name or address of this machine.
        port: 0 for any that is free.

    Raises:
        ProofmatchError: If there is no such address here, or its port is taken.
    """

    daemon_threads = True
    request_queue_size = _MOST_CONNECTIONS
    service: SearchService
    page: Page

    def __init__(self, host: str, port: int) -> None:
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        except (OSError, UnicodeError):
            raise ProofmatchError(f"there is no host {host}; 127.0.0.1 is this machine") from None
        self.address_family = family
        self._host = host
        self._free = BoundedSemaphore(_MOST_CONNECTIONS)
        self._since: dict[socket.socket, float] = {}
        self._answering: WeakSet[Thread] = WeakSet()
        super().__init__((str(address[0]), port), SearchHandler, bind_and_activate=False)
        self._try(self.server_bind)
        self.names = Names(host, self.server_address[1])

    def server_bind(self) -> None:
        """Take the port; unlike the library, ask no name server who we are."""
        TCPServer.server_bind(self)

    def listen(self) -> None:
        """Let browsers connect.

        Raises:
            ProofmatchError: If another program has begun to listen there meanwhile.
        """
        self._try(self.server_activate)

    def serve(self, service: SearchService, page: Page) -> None:
        """Answer until the user interrupts, and then finish what has been begun."""
        self.service, self.page = service, page
        try:
            self.serve_forever()
        finally:
            self.server_close()
            service.finish(_SECONDS_TO_FINISH)
            self._finish_answers()

    def _finish_answers(self) -> None:
        """Read nothing more, and wait for the threads that are still writing, or just ending.

        One in the middle of something would make the interpreter abort when it ends.
        """
        for request in list(self._since):
            with suppress(OSError):
                request.shutdown(socket.SHUT_RD)
        until = time.monotonic() + _SECONDS_TO_FINISH
        while self._since and time.monotonic() < until:
            time.sleep(0.01)
        for thread in list(self._answering):
            thread.join(max(0.0, until - time.monotonic()))

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the library's own
        """Answer in a thread of its own, unless there are too many."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        self._since[request] = time.monotonic()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Answer, and make room for the next."""
        self._answering.add(current_thread())
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._since.pop(request, None)
            self._free.release()

    def service_actions(self) -> None:
        """End connections that have been open for too long; called several times a second."""
        for request, since in list(self._since.items()):
            if time.monotonic() - since > _MOST_SECONDS:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401, ARG002
        """Say what went wrong, without what was asked for."""
        kind = sys.exc_info()[0]
        if kind is not None and not issubclass(kind, (ConnectionError, TimeoutError)):
            print(f"a request failed ({kind.__name__})", file=sys.stderr, flush=True)

    def _try(self, take_port: Any) -> None:  # noqa: ANN401
        try:
            take_port()
        except OSError as error:
            self.server_close()
            where = f"{self._host}, port {self.server_address[1]}"
            raise ProofmatchError(
                f"{where} cannot be listened at ({error.strerror or error}); "
                "give another --port, or 0 for any that is free"
            ) from None
