"""What the server answers and refuses, as programs see it."""

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from proofmatch.training.searching.serving import server, service
from proofmatch.training.searching.serving.app import HostNames, is_loopback
from proofmatch.training.searching.serving.server import url_of
from proofmatch.training.searching.serving.service import MAX_BYTES, MAX_CHARACTERS, MAX_HITS

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
    answer = served.search(k=3)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    expected = searcher.search(STATEMENT, 3)
    found = answer.fields["hits"]
    assert [hit["proof_id"] for hit in found] == [hit.proof_id for hit in expected]
    assert [hit["rank"] for hit in found] == [1, 2, 3]
    for hit, same in zip(found, expected, strict=True):
        assert hit["score"] == pytest.approx(same.score)
        for name in ("statement", "proof", "title", "kind", "article_id", "source", "confidence"):
            assert hit[name] == getattr(same, name)
        assert hit["source"] is not None
        assert hit["reasons"] == []
        assert hit["shown"] is None
    assert answer.fields["searched"] == len(searcher)
    assert answer.fields["not_understood"] == []


def test_scores_are_explained_and_texts_shown_on_request(served):
    for hit in served.search(k=3, why=True, shown=True).fields["hits"]:
        assert sum(value for _, value in hit["shown"]["parts"]) == pytest.approx(hit["score"], abs=1e-4)
        assert {reason["kind"] for reason in hit["reasons"]} <= {"shared", "associated"}
        assert hit["reasons"]
        assert any("orange-mark" in classes for classes in hit["shown"]["marks"].values())
        assert "math" in json.dumps(hit["shown"]["statement"])


def test_similar_statements_are_found(served, searcher):
    found = served.search(k=3, among="statements", why=True).fields
    expected = searcher.search(STATEMENT, 3, among="statements")
    assert [hit["statement"] for hit in found["hits"]] == [hit.statement for hit in expected]
    assert "prime" in found["hits"][0]["statement"]


def test_macros_are_read_and_unknown_commands_named(served):
    statement = r"Let $x \in \foo$ and $\bar{\baz}$"
    assert served.search(statement).fields["not_understood"] == [r"\foo", r"\baz"]
    known = served.search(statement, macros=r"\newcommand{\foo}{\mathbb{R}} \def\baz{b}").fields
    assert known["not_understood"] == []
    bomb = r"\def\a{\b\b}\def\b{\a\a} $\a$"
    assert "without end" in refused(served.search(bomb), 400)


def test_one_split_may_be_searched(served, searcher):
    answer = served.search(k=MAX_HITS, split="test").fields
    start, end = searcher.rows("test")
    assert answer["searched"] == end - start
    alone = searcher.search(STATEMENT, MAX_HITS, split="test")
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
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        (b"GET /" + b"a" * 150_000, 431),  # it may have no end
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: " + b"b" * 50_000 + b"\r\n\r\n", 431),
    ],
)
def test_malformed_requests_are_refused_without_a_traceback(served, request_, status):
    answer = raw(served, request_)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b'{"error":' in answer
    assert b"Python" not in answer
    assert all(f"{name}: {value}".lower() in answer.decode().lower() for name, value in SAFE.items())
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
    assert raw(served, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert raw(served, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 421 ")
    two = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nHost: evil.example\r\n\r\n"
    assert raw(served, two.encode()).startswith(b"HTTP/1.1 400 ")


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
        (b'{"statement": "x", "file": "/etc/passwd"}', "file: Extra inputs are not permitted"),
        (b"{}", "statement: Field required"),
        (b'{"statement": 3}', "statement: Input should be a valid string"),
        (b'{"statement": "x", "k": 0}', "k: Input should be greater than or equal to 1"),
        (b'{"statement": "x", "k": 51}', f"k: Input should be less than or equal to {MAX_HITS}"),
        (b'{"statement": "x", "k": 1e9}', "k: Input should be a valid integer"),
        (b'{"statement": "x", "k": true}', "k: Input should be a valid integer"),
        (b'{"statement": "x", "k": NaN}', "k: Input should be a valid integer"),
        (b'{"statement": "x", "split": "secret"}', "no such split"),
        (b'{"statement": "x", "split": ["test"]}', "split: Input should be a valid string"),
        (b'{"statement": "x", "among": "files"}', "among: Input should be"),
        (b'{"statement": {"a": {"b": []}}}', "statement: Input should be a valid string"),
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
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ("", 411),
        ("Transfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 2\r\nContent-Length: 3\r\n", 400),
        ("Content-Length: 100\r\n", 400),
    ],
)
def test_a_wrong_or_missing_content_length_is_refused(served, headers, status):
    head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
    assert raw(served, f"{head}{headers}\r\n{{}}".encode()).startswith(f"HTTP/1.1 {status} ".encode())


def test_lone_surrogates_are_accepted(served):
    body = b'{"statement": "Let $x\\ud835$ be \\udcff \\u0000."}'
    assert served.ask("POST", "/search", body, Content_Type="application/json").status == 200


def test_silent_clients_are_disconnected(served, monkeypatch):
    monkeypatch.setattr(server, "_SECONDS_TO_ARRIVE", 0.2)
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(b"POST /search HTTP/1.1\r\n")
        assert connection.recv(1000) == b""


def test_slow_clients_are_disconnected(served, monkeypatch):
    monkeypatch.setattr(server, "_SECONDS_TO_ARRIVE", 0.5)
    head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode())
        with suppress(ConnectionError):  # as soon as it is disconnected
            for _ in range(1000):
                connection.sendall(b" ")
                time.sleep(0.01)
            pytest.fail("a byte at a time was accepted for too long")
    assert served.ask("HEAD", "/").status == 200


def test_idle_clients_do_not_block_others(served, monkeypatch):
    monkeypatch.setattr(server, "_SECONDS_TO_ARRIVE", 0.5)
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
        body = json.dumps({"statement": STATEMENT, "k": 5}).encode()
        head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
    assert served.search().status == 200
    assert "Traceback" not in capsys.readouterr().err


@contextmanager
def busy(served):
    """Keep the thread that searches busy."""
    held = threading.Event()
    served.service._thread.submit(held.wait)
    try:
        yield
    finally:
        held.set()


def test_too_many_searches_at_once_are_refused_and_the_others_answered(served):
    with busy(served):
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(served.search(k=1))) for _ in range(12)]
        for thread in threads:
            thread.start()
        while sum(answer.status == 503 for answer in answers) < 3:
            assert any(thread.is_alive() for thread in threads)
            time.sleep(0.01)
    for thread in threads:
        thread.join()
    assert sorted(answer.status for answer in answers) == [200] * 9 + [503] * 3
    busy_answer = next(answer for answer in answers if answer.status == 503)
    assert "try again" in refused(busy_answer, 503)
    assert busy_answer.headers["Retry-After"] == "1"


def test_a_client_that_sends_no_more_is_answered_and_holds_up_nobody(served):
    body = json.dumps({"statement": STATEMENT, "k": 1}).encode()
    head = f"POST /search HTTP/1.1\r\nHost: localhost:{served.port}\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        with busy(served):
            connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            while not served.service._n_unanswered:
                time.sleep(0.01)
            connection.shutdown(socket.SHUT_WR)
            assert served.ask("GET", "/").status == 200
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_half_a_request_is_refused_and_an_empty_one_ignored(served):
    assert raw(served, b"GET / HT").startswith(b"HTTP/1.1 400 ")
    assert raw(served, b"") == b""


def test_a_search_that_takes_too_long_is_refused(served, monkeypatch):
    monkeypatch.setattr(service, "MAX_SECONDS", 0.2)
    with busy(served):
        assert "took more than" in refused(served.search(), 503)
    monkeypatch.undo()
    assert served.search().status == 200


def test_waiting_searches_are_refused_at_shutdown(served):
    answers = []
    waiting = threading.Thread(target=lambda: answers.append(served.search()))
    with busy(served):
        waiting.start()
        while not served.service._n_unanswered:
            time.sleep(0.01)
        served.server.should_exit = True
        waiting.join()
    assert "ending" in refused(answers[0], 503)


def test_an_internal_error_reveals_no_details(served, monkeypatch, capsys):
    async def fail(_) -> None:
        raise OSError(f"/secret/path {STATEMENT}")

    monkeypatch.setattr(served.service, "answer", fail)
    assert "secret" not in refused(served.search(), 500)
    assert capsys.readouterr().err == "a request failed (OSError)\n"


def test_statements_are_not_logged(served, capsys):
    served.search("A peculiar statement")
    served.search("x" * 9000)
    served.ask("GET", "/peculiar")
    said = capsys.readouterr()
    assert "eculiar" not in said.err + said.out
    assert said.err.count("\n") == 1
    assert said.err.startswith("search: 10 hits in ")


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


def test_the_document_of_the_api_is_valid_and_describes_its_answers(served):
    from jsonschema import Draft202012Validator
    from openapi_spec_validator import validate

    answer = served.ask("GET", "/openapi.json")
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    document = answer.fields
    validate(document)
    (operation,) = document["paths"]["/search"].values()

    def check(instance, place):
        reference = place["content"]["application/json"]["schema"]["$ref"]
        Draft202012Validator({"$ref": reference, "components": document["components"]}).validate(instance)

    request = {"statement": STATEMENT, "k": 2, "why": True, "shown": True}
    check(request, operation["requestBody"])
    check(served.search(**request).fields, operation["responses"]["200"])
    check(served.search("").fields, operation["responses"]["400"])
