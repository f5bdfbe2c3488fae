"""Which names mean a server, and which addresses are of this machine only."""

import socket

import pytest

from proofmatch.training.searching.serving.hosts import Names, is_loopback, url_of

ANYWHERE = "0.0.0.0"  # noqa: S104 - nothing listens there


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize("host", [ANYWHERE, "::", "192.168.1.5", "example.org", "localhost.example.org", ""])
def test_anything_else_is_open_to_others(host):
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
def test_an_url_opens_on_this_machine(host, url):
    assert url_of(host, 80) == url


def test_a_server_of_this_machine_goes_by_its_names_only():
    names = Names("127.0.0.1", 8765)
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


def test_a_server_for_others_goes_by_addresses_and_its_own_name():
    names = Names(ANYWHERE, 80)
    assert all(
        map(names.has, ["192.168.1.5", "192.168.1.5:80", "[fe80::1]:80", "localhost", socket.gethostname()])
    )
    assert not any(map(names.has, ["evil.example", "192.168.1.5:81", "192.168.1.5.evil.example"]))
    assert Names("box.lan", 80).has("BOX.lan")
