"""The harness detects errors and requests on pages."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .fixtures import find_chromium

CLEAN = "<!doctype html><meta charset='utf-8'><title>Clean</title><p>Nothing to see.</p>"


@pytest.fixture
def server():
    """A host on loopback that answers everything with a page; the paths that it was asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            is_there = not self.path.startswith("/missing")
            self.send_response(200 if is_there else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(CLEAN.encode())

        def log_message(self, *_):
            pass

    asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


@pytest.fixture
def page_file(tmp_path):
    def write(html):
        path = tmp_path / "a page.html"
        path.write_text(CLEAN + html, encoding="utf-8")
        return path

    return write


def test_a_clean_page_passes(visit, page_file):
    seen = visit(page_file(""))
    assert seen.page.title() == "Clean"
    seen.check()
    assert seen.errors == seen.requests == []


def test_a_page_may_be_named_by_path_or_url(visit, page_file):
    path = page_file("")
    for target in (path, str(path), path.as_uri(), "data:text/html,<title>Clean</title>"):
        assert visit(target).page.title() == "Clean"


@pytest.mark.parametrize(
    "html, said",
    [
        ("<script>console.error('it broke')</script>", "error: it broke"),
        ("<script>console.warn('it creaks')</script>", "warning: it creaks"),
        ("<script>throw new Error('thrown')</script>", "thrown"),
        ("<script>Promise.reject(new Error('rejected'))</script>", "rejected"),
        ("<img src='missing.png'>", "missing.png"),
    ],
)
def test_what_goes_wrong_in_a_page_is_noticed(visit, page_file, html, said):
    seen = visit(page_file(html), checked=False)
    with pytest.raises(AssertionError, match=said):
        seen.check()


def test_what_goes_wrong_later_is_noticed(visit, page_file):
    seen = visit(page_file("<button onclick='nothing()'>"), checked=False)
    seen.check()
    seen.page.click("button")
    with pytest.raises(AssertionError, match="nothing is not defined"):
        seen.check()


def test_a_request_to_another_host_is_noticed(visit, page_file, server):
    url, asked = server
    seen = visit(page_file(f"<link rel='stylesheet' href='{url}/style'>"), checked=False)
    assert f"{url}/style" in seen.requests
    assert asked == ["/style"]
    seen.errors.clear()  # so that it is not the answer that is minded
    with pytest.raises(AssertionError, match="to elsewhere"):
        seen.check()


def test_no_other_host_is_reached(visit, page_file):
    seen = visit(page_file("<img src='http://example.com/pixel.png'>"), checked=False)
    assert seen.requests == ["http://example.com/pixel.png"]
    assert "ERR_NAME_NOT_RESOLVED" in str(seen.errors)


def test_a_site_on_loopback_may_ask_itself(visit, server):
    url, asked = server
    seen = visit(url + "/")
    assert seen.page.evaluate("fetch('more').then(answer => answer.status)") == 200
    assert seen.requests == [f"{url}/more"]
    assert "/more" in asked


def test_an_answer_that_is_an_error_is_noticed(visit, server):
    seen = visit(server[0] + "/missing", checked=False)
    with pytest.raises(AssertionError, match="404"):
        seen.check()


def test_a_file_made_in_the_page_can_be_downloaded(visit, page_file):
    html = "<a download='made.txt'>save</a><script>const made = new Blob(['made here']);"
    html += "document.querySelector('a').href = URL.createObjectURL(made)</script>"
    seen = visit(page_file(html))
    with seen.page.expect_download() as download:
        seen.page.click("a")
    assert download.value.path().read_text() == "made here"


@pytest.mark.parametrize("dark", [True, False])
def test_the_user_may_prefer_dark_colours(visit, page_file, dark):
    seen = visit(page_file(""), dark=dark)
    assert seen.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") is dark


def test_a_window_has_the_size_that_is_asked_for(visit, page_file):
    seen = visit(page_file(""), width=360, height=640)
    assert seen.page.evaluate("[innerWidth, innerHeight]") == [360, 640]


def test_scripts_may_be_off(visit, page_file):
    html = "<script>document.title = 'Scripted'</script>"
    assert visit(page_file(html)).page.title() == "Scripted"
    assert visit(page_file(html), javascript=False).page.title() == "Clean"


def test_a_page_may_be_printed(visit, page_file):
    seen = visit(page_file(""), media="print")
    assert seen.page.evaluate("matchMedia('print').matches")


def test_other_tests_may_run_a_loop_while_the_browser_lives(chromium):
    async def three():
        return 3

    assert asyncio.run(three()) == 3
    with chromium.in_use() as browser:
        assert browser.is_connected()
        browser.new_context().close()


def test_the_environment_says_which_browser(monkeypatch):
    monkeypatch.setenv("PROOFMATCH_CHROMIUM", "my-chromium")
    assert find_chromium() == "my-chromium"
