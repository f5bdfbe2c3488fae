"""Assistants: a real client of the Model Context Protocol finds the tool and gets ranked proofs."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from .conftest import STATEMENT

TOOL = "search_proofs"


def command(model, release):
    return [sys.executable, "-m", "proofmatch", "serve", str(model), "--data", str(release), "--mcp"]


def talk(target, conversation, **options):
    """Let a client talk to a server, and return what the conversation returns."""

    async def run():
        async with Client(target, **options) as client:
            return await conversation(client)

    return anyio.run(run)


async def find_proofs(client):
    """List the tools, and search."""
    (tool,) = (await client.list_tools()).tools
    assert tool.name == TOOL
    assert "proofs" in tool.description
    assert set(tool.input_schema["properties"]) == {"statement", "k", "among", "macros"}
    assert all(field["description"] for field in tool.input_schema["properties"].values())
    assert tool.annotations.read_only_hint
    found = await client.call_tool(TOOL, {"statement": STATEMENT, "k": 3})
    assert not found.is_error
    assert json.loads(found.content[0].text) == found.structured_content
    similar = await client.call_tool(TOOL, {"statement": STATEMENT, "k": 3, "among": "statements"})
    unknown = await client.call_tool(TOOL, {"statement": r"Let $x \in \PP$."})
    assert unknown.structured_content["not_understood"] == [r"\PP"]
    macros = r"\newcommand{\PP}{\mathbb{P}}"
    known = await client.call_tool(TOOL, {"statement": r"Let $x \in \PP$.", "macros": macros})
    assert known.structured_content["not_understood"] == []
    assert len(known.structured_content["hits"]) == 5
    for wrong, told in (
        ({"statement": " "}, "the statement is empty"),
        ({"statement": "x" * 9_000}, "8000 characters"),
        ({"statement": "x", "k": 51}, "less than or equal to 50"),
        ({"statement": "x", "among": "files"}, "'proofs' or 'statements'"),
    ):
        refused = await client.call_tool(TOOL, wrong)
        assert refused.is_error
        assert told in refused.content[0].text
    return found.structured_content["hits"], similar.structured_content["hits"]


def check(found, searcher):
    hits, similar = found
    for some, among in ((hits, "proofs"), (similar, "statements")):
        expected = searcher.search(STATEMENT, 3, among=among)
        assert [hit["rank"] for hit in some] == [1, 2, 3]
        for hit, same in zip(some, expected, strict=True):
            for name in ("statement", "proof", "source", "confidence", "proof_id"):
                assert hit[name] == getattr(same, name)
            assert hit["score"] == pytest.approx(same.score, abs=1e-5)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_finds_proofs_over_http(serve, searcher, mode):
    served = serve(searcher, mcp=True)
    check(talk(f"{served.url}mcp", find_proofs, mode=mode), searcher)
    assert served.ask("GET", "/").status == 200


def test_an_assistant_finds_proofs_on_standard_output(lexical_model, release, searcher, tmp_path):
    program, *arguments = command(lexical_model, release)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (tmp_path / "stderr").open("w") as said:
        server = StdioServerParameters(command=program, args=arguments, env=environment)
        check(talk(stdio_client(server, errlog=said), find_proofs), searcher)
    assert "Traceback" not in (tmp_path / "stderr").read_text()


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MESSAGES = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
]


@contextmanager
def speaking(model, release, **environment):
    """The command in a process that waits for messages."""
    with subprocess.Popen(
        command(model, release),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells may have it ignored
    ) as process:
        try:
            process.stdin.write("".join(json.dumps(message) + "\n" for message in MESSAGES))
            process.stdin.flush()
            yield process
        finally:
            process.kill()


def test_standard_output_has_nothing_but_the_protocol(lexical_model, release, tmp_path):
    # With an empty cache all proofs are encoded, which is reported.
    with speaking(lexical_model, release, XDG_CACHE_HOME=str(tmp_path)) as process:
        assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
        out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert "encoding proofs" in said


def test_an_interrupt_ends_it_while_it_waits_for_input(lexical_model, release):
    with speaking(lexical_model, release) as process:
        assert [json.loads(process.stdout.readline())["id"] for _ in range(2)] == [1, 2]
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


def test_over_http_the_checks_of_the_page_hold(serve, searcher):
    served = serve(searcher, mcp=True)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    json_only = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}
    body = json.dumps(call).encode()
    assert served.ask("POST", "/mcp", body, **json_only, Host="evil.example").status == 421
    assert served.ask("POST", "/mcp", body, **json_only, Origin="http://evil.example").status == 403
    assert served.ask("POST", "/mcp", b" " * 30_000 + body, **json_only).status == 413
    deep = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ' + b"[" * 9_000
    assert served.ask("POST", "/mcp", deep, **json_only).status == 400
    for method in ("GET", "DELETE"):  # nobody can keep a connection open by listening
        answer = served.ask(method, "/mcp", Accept="text/event-stream")
        assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    answer = served.ask("POST", "/mcp", body, **json_only)
    assert answer.status == 200
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_without_the_option_there_is_no_such_path(served):
    assert served.ask("POST", "/mcp", {}).status == 404
