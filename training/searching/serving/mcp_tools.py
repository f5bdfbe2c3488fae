"""Search as a tool for assistants, by the Model Context Protocol: on standard output, or over HTTP."""

import signal
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import ToolAnnotations
from starlette.routing import BaseRoute, Route

from proofmatch import __version__

from .service import (
    MAX_BYTES,
    Among,
    Count,
    MacroText,
    Refused,
    SearchAnswer,
    SearchRequest,
    SearchService,
    Statement,
)

_INSTRUCTIONS = (
    "Finds proofs of mathematical statements in a corpus of articles and books. Give a complete statement "
    "with its hypotheses, not keywords. A hit is a proof, the statement that it proves, and its source, "
    "which you should cite; it may prove a similar statement only, so compare the two."
)
_DESCRIPTION = (
    "Find proofs for a mathematical statement, best first: each hit has the statement that is proved, its "
    "proof, the source, and, if the model is calibrated, the probability that this is the right proof. "
    "Compare the statement of a hit with yours before you rely on its proof. With among='statements', find "
    "similar statements instead. If not_understood lists commands, search again with their definitions in "
    "macros."
)


def make_mcp_server(service: SearchService) -> MCPServer[Any]:
    """Make a server with one tool, `search_proofs`."""
    server: MCPServer[Any] = MCPServer(
        "proofmatch",
        title="proofmatch",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="CRITICAL",
    )
    annotations = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

    @server.tool(title="Search for proofs", description=_DESCRIPTION, annotations=annotations)
    async def search_proofs(
        statement: Statement, k: Count = 5, among: Among = "proofs", macros: MacroText = ""
    ) -> SearchAnswer:
        try:
            return await service.answer(
                SearchRequest(statement=statement, k=k, among=among, split=None, macros=macros)
            )
        except Refused as refused:
            raise ToolError(refused.sentence) from None

    return server


def http_route(service: SearchService, path: str) -> tuple[BaseRoute, AbstractAsyncContextManager[Any]]:
    """Make a route for the protocol over HTTP, and a context that lasts as long as its server.

    The application around it checks who may send requests, and how many.
    """
    server = make_mcp_server(service)
    app = server.streamable_http_app(
        streamable_http_path=path,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MAX_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    (route,) = (route for route in app.routes if isinstance(route, Route))
    # Without sessions, GET has nothing to listen to, and DELETE nothing to end.
    return Route(path, route.endpoint, methods=["POST"]), server.session_manager.run()


def run_on_stdio(service: SearchService) -> None:
    """Serve on standard input and output until the input ends."""
    server = make_mcp_server(service)
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        # Ctrl-C ends it like any filter: the reading thread cannot be interrupted, and nothing is lost.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(server.run_stdio_async)
