"""`proofmatch serve`: from the command line to the page and the shutdown."""

import gc
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from proofmatch.cli import main
from proofmatch.training.searching.serving import server as serving
from proofmatch.training.searching.serving.service import SearchService

STATEMENT = "Every subgroup is a group."
OPTIONS = ["--port", "0"]


@pytest.fixture(autouse=True)
def as_before():
    """After an interruption, the command ignores further ones, and the server keeps what it has loaded."""
    # What a shell starts in the background ignores interruptions from the beginning.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)
    gc.unfreeze()


@contextmanager
def running(*arguments):
    """The command in a process, and its port."""
    command = [sys.executable, "-m", "proofmatch", "serve", *map(str, arguments)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells may have it ignored
    ) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith("http://"), line or process.stderr.read()
            yield process, int(line.split("/")[2].rpartition(":")[2])
        finally:
            process.kill()


def search(port, host="127.0.0.1"):
    connection = http.client.HTTPConnection(host, port, timeout=60)
    body = json.dumps({"statement": STATEMENT})
    connection.request("POST", "/search", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def test_the_page_is_served_until_the_user_interrupts(lexical_model, release):
    with running(lexical_model, "--data", release, *OPTIONS) as (process, port):
        status, answer = search(port)
        assert status == 200
        assert len(answer["hits"]) == 10
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("::1", port), timeout=5)
        # One who has connected and says nothing does not keep it from ending.
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            process.send_signal(signal.SIGINT)
            out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert out == ""
    lines = said.splitlines()
    assert lines[-1] == "proofmatch serve: interrupted; the page is no longer served"
    assert "search: 10 hits in" in lines[-2]
    assert "Traceback" not in said
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5)


def test_an_interrupt_during_a_search_ends_the_server(lexical_model, release):
    with running(lexical_model, "--data", release, *OPTIONS) as (process, port):
        body = json.dumps({"statement": "Let $x$ be a prime number. " * 50, "top": 50}).encode()
        head = f"POST /search HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said


def test_a_request_accepted_during_an_interrupt_is_answered(lexical_model, release, monkeypatch):
    answers = []
    startup = serving.SearchServer.startup

    async def interrupted_by_a_client(server, sockets=None):
        await startup(server, sockets)
        port = sockets[0].getsockname()[1]
        server.client = threading.Thread(target=lambda: answers.append(search(port)))
        server.client.start()

    async def interrupt_and_answer(service, request):
        signal.raise_signal(signal.SIGINT)
        return await answer(service, request)

    answer = SearchService.answer
    monkeypatch.setattr(serving.SearchServer, "startup", interrupted_by_a_client)
    monkeypatch.setattr(SearchService, "answer", interrupt_and_answer)
    assert main(["serve", str(lexical_model), "--data", str(release), *OPTIONS]) == 130
    ((status, answer),) = answers
    assert status == 200
    assert len(answer["hits"]) == 10


def test_an_interrupt_before_serving_is_reported(lexical_model, release, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "load_matcher", interrupt)
    assert main(["serve", str(lexical_model), "--data", str(release), *OPTIONS]) == 130
    assert capsys.readouterr().err == "proofmatch serve: interrupted; run the same command again\n"


@pytest.fixture
def refused(capsys, tmp_path):
    """Run the command with invalid arguments, and return the error message."""

    def run(*arguments):
        capsys.readouterr()
        code = main(["serve", str(tmp_path), "--data", str(tmp_path), *arguments])
        out, error = capsys.readouterr()
        assert (code, out) == (2, "")
        assert error.count("\n") == 1
        return error

    return run


@pytest.mark.parametrize("arguments", [["--host", "127.0.0.1"], ["--port", "0"]])
def test_standard_output_has_no_port(refused, arguments):
    for mcp in (["--mcp"], ["--mcp", "stdio"]):
        assert "give --mcp http" in refused(*mcp, *arguments)


def test_without_the_extra_the_remedy_is_named(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, serving.__name__)
    assert "pip install 'proofmatch[serve]'" in refused()


def test_a_port_that_is_taken_is_one_sentence(refused):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = refused("--port", str(port))
    assert f"127.0.0.1, port {port} (Address already in use)" in told
    assert "give another --port" in told


@pytest.mark.parametrize("host", ["nowhere.invalid", "", "a b", "." * 300])
def test_an_unknown_host_is_one_sentence(refused, host):
    assert "--host" in (told := refused("--port", "0", "--host", host)) or "no host" in told


def test_an_address_of_another_machine_is_one_sentence(refused):
    assert "cannot listen on 192.0.2.1" in refused("--port", "0", "--host", "192.0.2.1")


@pytest.mark.parametrize("port", ["-1", "65536", "x", "1.5", ""])
def test_a_port_is_a_number(port, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["serve", "model", "--data", "release", "--port", port])
    assert exit_.value.code == 2
    assert "--port" in capsys.readouterr().err


def test_no_model_is_one_sentence_and_frees_the_port(refused):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
    assert "not a complete release" in refused("--port", str(port))
    socket.create_server(("127.0.0.1", port)).close()


@pytest.fixture
def start(monkeypatch, lexical_model, release, capsys):
    """Start the server, stop it at once, and return the output."""

    def run(*arguments):
        async def interrupt(*_):
            signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(serving.SearchServer, "main_loop", interrupt)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # after an interruption, it is ignored
        assert main(["serve", str(lexical_model), "--data", str(release), *OPTIONS, *arguments]) == 130
        return capsys.readouterr()

    return run


def test_a_loopback_address_needs_no_warning(start):
    for host in ("127.0.0.1", "localhost"):
        out, said = start("--host", host)
        assert out.startswith(f"http://{host}:")
        assert "warning" not in said


def test_an_open_address_comes_with_a_warning(start):
    out, said = start("--host", "0.0.0.0")  # noqa: S104 - for a moment, in which nobody is answered
    assert out.startswith("http://127.0.0.1:")
    assert "warning: everyone who reaches this machine" in said


def test_the_address_may_be_one_of_ipv6(start):
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert start("--host", "::1")[0].startswith("http://[::1]:")


def test_the_help_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["serve", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "proofmatch serve model --data release" in shown
    assert "127.0.0.1, this machine only" in shown
    assert "8765" in shown
