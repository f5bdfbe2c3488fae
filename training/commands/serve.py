"""`proofmatch serve`: search as a local web page, as a JSON API, and as a tool for assistants."""

import argparse

from proofmatch.errors import ProofmatchError

from .search import add_search_arguments

EXAMPLE = "proofmatch serve model --data release\n  proofmatch serve model --data release --mcp"

_HOST, _PORT = "127.0.0.1", 8765


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_search_arguments(parser, takes_statement=False)
    parser.add_argument(
        "--mcp",
        nargs="?",
        choices=("stdio", "http"),
        const="stdio",
        help="serve the search to assistants over the Model Context Protocol: stdio (the default) uses "
        "standard input and output and serves no page; http serves it at /mcp, beside the page",
    )
    parser.add_argument(
        "--host", metavar="HOST", help=f"where to listen (default: {_HOST}, this machine only)"
    )
    parser.add_argument(
        "--port", type=_port, metavar="N", help=f"port; 0 for any free one (default: {_PORT})"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text} is not a port, which is a whole number up to 65535")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Serve until the user interrupts, or until standard input ends."""
    if options.mcp == "stdio" and (options.host is not None or options.port is not None):
        raise ProofmatchError("--mcp stdio listens on no port; give --mcp http with --host or --port")

    from ..searching.serving.server import serve, serve_on_stdio

    if options.mcp == "stdio":
        serve_on_stdio(options.model, options.data, split=options.split)
        return 0
    serve(
        options.model,
        options.data,
        split=options.split,
        host=_HOST if options.host is None else options.host,
        port=_PORT if options.port is None else options.port,
        k=options.top,
        mcp=options.mcp == "http",
    )
    return 0
