"""A model and a release → a page on this machine, until the user interrupts."""

import gc
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ....builder.release.release import open_release
from ...prediction import load_matcher
from ..search import Searcher
from .hosts import is_loopback, url_of
from .page import make_page
from .server import SearchServer
from .service import SearchService


def serve(model: str, data: str, splits: Sequence[str], host: str, port: int, top: int) -> None:
    """Serve the search page; ends by `KeyboardInterrupt` only.

    Args:
        model: A folder of `proofmatch train`, or `OWNER/NAME` on the Hub.
        data: A release folder, or `OWNER/NAME[@REVISION]` on the Hub.
        splits: Those whose proofs are searched.
        host: Where to listen.
        port: The same; 0 for any that is free.
        top: How many proofs are shown at first.

    Raises:
        ProofmatchError: If there is no such model, release or address, or the port is taken.
    """
    server = SearchServer(host, port)  # first of all, since the rest may take minutes
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
        gc.freeze()  # model and proofs stay; to look for garbage there would double the time of a search
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
    with _interruptions_between_requests(server):
        server.serve(service, page)
    raise KeyboardInterrupt("the page is no longer served")


@contextmanager
def _interruptions_between_requests(server: SearchServer) -> Iterator[None]:
    """Let an interruption end the server once it has handed over the request that it is taking.

    An exception in the middle of that would close the connection under the thread that is to answer.
    """

    def end(*_: object) -> None:
        # It waits for the loop, which runs in the thread that the signal has stopped.
        threading.Thread(target=server.shutdown).start()

    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:  # as shells have it for what runs in the background
        signal.signal(signal.SIGINT, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
