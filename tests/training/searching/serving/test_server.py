"""What the server answers and refuses, as programs see it."""

import json
import socket
import threading
import time
from contextlib import suppress

import pytest

from proofmatch.training.searching.serving.server import HostNames, is_loopback, url_of
from proofmatch.training.searching.serving.service import MAX_BYTES, MAX_CHARACTERS, MAX_PROOFS, SearchRequest

from .conftest import STATEMENT

SAFE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "proofmatch",
}


def raw(served, request: bytes) -> bytes:
    """Send raw bytes, and read the answer."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def refused(answer, status: int) -> str:
    """Check that a request was refused in one sentence, and return it."""
    assert answer.status == status
    assert answer.headers["Content-Type"] == "application/json"
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    (sentence,) = answer.fields.values()
    assert "\n" not in sentence
    assert not any(sign in sentence for sign in ("Traceback", ".py", "/home", "Error:"))
    return sentence


def test_the_page_comes_with_a_policy_that_lets_nothing_else_run(served):
    answer = served.ask("GET", "/")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "<title>Search for proofs</title>" in answer.body.decode()


def test_a_head_is_the_page_without_its_body(served):
    page, head = served.ask("GET", "/"), served.ask("HEAD", "/")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["Content-Length"] == str(len(page.body))


def test_an_answer_is_what_the_searcher_finds(served, searcher):
    answer = served.search(top=3)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    expected = searcher.search(STATEMENT, 3, why=True)
    found = answer.fields["hits"]
    assert [hit["proof_id"] for hit in found] == [hit.proof_id for hit in expected]
    assert [hit["rank"] for hit in found] == [1, 2, 3]
    for hit, same in zip(found, expected, strict=True):
        assert hit["score"] == pytest.approx(same.score)
        assert sum(value for _, value in hit["parts"]) == pytest.approx(hit["score"], abs=1e-4)
        assert (hit["title"], hit["kind"], hit["article_id"]) == (same.title, same.kind, same.article_id)
        assert hit["source"] == same.source is not None
        assert hit["reasons"]
        assert "orange-mark" in json.dumps(hit["proof"])
        assert "orange-mark" in json.dumps(hit["statement"])
    assert answer.fields["searched"] == len(searcher)
    assert answer.fields["without_reasons"] is None


def test_one_split_may_be_searched(served, searcher):
    answer = served.search(top=MAX_PROOFS, split="test").fields
    start, end = searcher.rows("test")
    assert answer["searched"] == end - start
    alone = searcher.search(STATEMENT, MAX_PROOFS, split="test")
    assert [hit["proof_id"] for hit in answer["hits"]] == [hit.proof_id for hit in alone]


@pytest.mark.parametrize("path", ["/favicon.ico", "/search/", "/../etc/passwd", "/?q=x", "/index.html"])
def test_other_paths_are_not_found(served, path):
    assert "nothing here" in refused(served.ask("GET", path), 404)


@pytest.mark.parametrize(("method", "path"), [("GET", "/search"), ("POST", "/"), ("HEAD", "/search")])
def test_each_route_has_its_methods(served, method, path):
    answer = served.ask(method, path, {} if method == "POST" else None)
    assert answer.status == 405
    assert answer.headers["Allow"] == {"/": "GET, HEAD", "/search": "POST"}[path]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "SEARCH"])
def test_other_methods_are_refused(served, method):
    refused(served.ask(method, "/search"), 405)


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 505),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
    ],
)
def test_malformed_requests_are_refused_without_a_traceback(served, request_, status):
    answer = raw(served, request_)
    assert answer.startswith(f"HTTP/1.0 {status} ".encode())
    assert b'{"error":' in answer
    assert b"Python" not in answer
    assert b"<html" not in answer.lower()


@pytest.mark.parametrize(
    "kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_forms_of_other_sites_are_refused(served, kind):
    body = json.dumps({"statement": STATEMENT}).encode()
    headers = {"Content_Type": kind} if kind else {}
    assert "application/json" in refused(served.ask("POST", "/search", body, **headers), 415)


def test_a_content_type_may_have_a_charset(served):
    body = json.dumps({"statement": STATEMENT}).encode()
    kind = "application/json; charset=utf-8"
    assert served.ask("POST", "/search", body, Content_Type=kind).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "", "a b"]
)
def test_other_host_names_are_refused(served, host):
    host = host.format(port=served.port)
    for method, path in (("GET", "/"), ("POST", "/search")):
        answer = served.ask(method, path, {"statement": "x"} if method == "POST" else None, Host=host)
        assert "name" in refused(answer, 421)


def test_a_request_without_exactly_one_host_is_refused(served):
    assert raw(served, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.0 421 ")
    two = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nHost: evil.example\r\n\r\n"
    assert raw(served, two.encode()).startswith(b"HTTP/1.0 421 ")


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
def test_names_of_the_loopback_are_served(served, name):
    assert served.ask("GET", "/", Host=f"{name}:{served.port}").status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "file://"]
)
def test_requests_of_other_sites_are_refused(served, origin):
    origin = origin.format(port=served.port)
    answer = served.ask("POST", "/search", {"statement": "x"}, Origin=origin)
    assert "page itself" in refused(answer, 403)


def test_the_page_itself_may_ask(served):
    origin = f"http://127.0.0.1:{served.port}"
    assert served.ask("POST", "/search", {"statement": "x"}, Origin=origin).status == 200


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 15_000, "not JSON"),
        (b"[]", "not a JSON object"),
        (b'"x"', "not a JSON object"),
        (b'{"statement": "x", "file": "/etc/passwd"}', "not a JSON object"),
        (b"{}", "needs a statement"),
        (b'{"statement": 3}', "needs a statement"),
        (b'{"statement": "x", "top": 0}', f"from 1 to {MAX_PROOFS}"),
        (b'{"statement": "x", "top": 51}', f"from 1 to {MAX_PROOFS}"),
        (b'{"statement": "x", "top": 1e9}', f"from 1 to {MAX_PROOFS}"),
        (b'{"statement": "x", "top": true}', f"from 1 to {MAX_PROOFS}"),
        (b'{"statement": "x", "top": NaN}', f"from 1 to {MAX_PROOFS}"),
        (b'{"statement": "x", "split": "secret"}', "no such split"),
        (b'{"statement": "x", "split": ["test"]}', "no such split"),
        (b'{"statement": "  "}', "the statement is empty"),
        (b'{"statement": "$ $"}', "the statement has none"),
    ],
)
def test_invalid_searches_are_refused_in_one_sentence(served, body, told):
    answer = served.ask("POST", "/search", body, Content_Type="application/json")
    assert told in refused(answer, 400)


def test_long_requests_are_refused(served):
    assert "bytes" in refused(served.search("x" * MAX_BYTES), 413)
    assert "bytes" in refused(served.search("x" * 900_000), 413)
    with suppress(ConnectionError):  # of still longer ones not all is read, which a client may notice first
        assert "bytes" in refused(served.search("x" * 3_000_000), 413)
    assert "characters" in refused(served.search("x" * (MAX_CHARACTERS + 1)), 400)
    assert "words and symbols" in refused(served.search("x " * (MAX_CHARACTERS // 2)), 400)
    assert "braces" in refused(served.search("$" + "{" * 51 + "x" + "}" * 51 + "$"), 400)


@pytest.mark.parametrize("length", ["-1", "x", "1.5", "9" * 30, "²"])
def test_an_invalid_content_length_is_refused(served, length):
    head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
    answer = raw(served, f"{head}Content-Length: {length}\r\n\r\n{{}}".encode())
    assert answer.startswith(b"HTTP/1.0 400 ")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("", 411),
        ("Transfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", 411),
        ("Content-Length: 100\r\n", 400),
    ],
)
def test_a_wrong_or_missing_content_length_is_refused(served, headers, status):
    head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
    assert raw(served, f"{head}{headers}\r\n{{}}".encode()).startswith(f"HTTP/1.0 {status} ".encode())


def test_lone_surrogates_are_accepted(served):
    body = b'{"statement": "Let $x\\ud835$ be \\udcff \\u0000."}'
    assert served.ask("POST", "/search", body, Content_Type="application/json").status == 200


def test_silent_clients_are_disconnected(served, monkeypatch):
    monkeypatch.setattr("proofmatch.training.searching.serving.server.SearchHandler.timeout", 0.2)
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(b"POST /search HTTP/1.1\r\n")
        assert connection.recv(1000) == b""


def test_slow_clients_are_disconnected(served, monkeypatch):
    monkeypatch.setattr("proofmatch.training.searching.serving.server._MAX_SECONDS", 0.2)
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(b"POST /search HTTP/1.1\r\n")
        assert connection.recv(1000) == b""
    assert served.ask("HEAD", "/").status == 200


def test_idle_clients_do_not_block_others(served, monkeypatch):
    monkeypatch.setattr("proofmatch.training.searching.serving.server.SearchHandler.timeout", 0.5)
    idle = [socket.create_connection(("127.0.0.1", served.port), timeout=30) for _ in range(40)]
    try:
        for connection in idle:
            assert connection.recv(1000) == b""  # at once, or when its time is over
    finally:
        for connection in idle:
            connection.close()
    assert served.ask("HEAD", "/").status == 200


def test_a_client_that_disconnects_is_ignored(served, capsys):
    for _ in range(3):
        connection = socket.create_connection(("127.0.0.1", served.port), timeout=30)
        body = json.dumps({"statement": STATEMENT, "top": 5}).encode()
        head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    assert served.search().status == 200
    assert "Traceback" not in capsys.readouterr().err


def test_too_many_searches_at_once_are_refused_and_the_others_answered(served):
    with served.service._turn:
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(served.search(top=1))) for _ in range(12)]
        for thread in threads:
            thread.start()
        while sum(answer.status == 503 for answer in answers) < 3:
            assert any(thread.is_alive() for thread in threads)
            time.sleep(0.01)
    for thread in threads:
        thread.join()
    assert sorted(answer.status for answer in answers) == [200] * 9 + [503] * 3
    busy = next(answer for answer in answers if answer.status == 503)
    assert "try again" in refused(busy, 503)
    assert busy.headers["Retry-After"] == "1"


def test_waiting_searches_are_refused_at_shutdown(served):
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(served.search()))
    ending = threading.Thread(target=served.service.finish, args=(60,))
    with served.service._turn:
        waiting.start()
        ending.start()
        while not served.service._is_ending:
            time.sleep(0.01)
    ending.join()
    waiting.join()
    assert "no longer served" in refused(answers[0], 503)


def test_an_internal_error_reveals_no_details(served, monkeypatch, capsys):
    def fail(_: SearchRequest) -> None:
        raise OSError(f"/secret/path {STATEMENT}")

    monkeypatch.setattr(served.service, "answer", fail)
    assert "secret" not in refused(served.search(), 500)
    assert capsys.readouterr().err == "a search failed (OSError)\n"


def test_statements_are_not_logged(served, capsys):
    served.search("A peculiar statement")
    served.search("x" * 9000)
    served.ask("GET", "/peculiar")
    said = capsys.readouterr()
    assert "eculiar" not in said.err + said.out
    assert said.err.count("\n") == 1
    assert said.err.startswith("search: 10 proofs in ")


ANYWHERE = "0.0.0.0"  # noqa: S104 - nothing listens there


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", [ANYWHERE, "::", "192.168.1.5", "example.org", "localhost.example.org", ""])
def test_other_addresses_are_not_loopback(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"),
        ("::1", "http://[::1]:80/"),
        (ANYWHERE, "http://127.0.0.1:80/"),
        ("box", "http://box:80/"),
    ],
)
def test_the_url_opens_on_this_machine(host, url):
    assert url_of(host, 80) == url


def test_a_loopback_server_accepts_loopback_names_only():
    names = HostNames("127.0.0.1", 8765)
    assert all(map(names.has, ["127.0.0.1:8765", "localhost:8765", "LocalHost.:8765", "[::1]:8765"]))
    others = [
        "localhost",
        "localhost:80",
        "192.168.1.5:8765",
        "evil.example:8765",
        "127.0.0.1.evil.example:8765",
    ]
    others += [
        "",
        ":8765",
        "localhost:8765/",
        "a@localhost:8765",
        "localhost:8765:8765",
        "localhost:999999",
        "::1:8765",
    ]
    assert not any(map(names.has, [*others, f"{socket.gethostname()}.example:8765"]))


def test_an_open_server_accepts_addresses_and_its_own_name():
    names = HostNames(ANYWHERE, 80)
    assert all(
        map(names.has, ["192.168.1.5", "192.168.1.5:80", "[fe80::1]:80", "localhost", socket.gethostname()])
    )
    assert not any(map(names.has, ["evil.example", "192.168.1.5:81", "192.168.1.5.evil.example"]))
    assert HostNames("box.lan", 80).has("BOX.lan")
