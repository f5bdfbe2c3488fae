"""Passwords and signatures in the URLs of sources stay with those who have them."""

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.readers.urls import public_url, public_words
from proofmatch.builder.sample import sample_articles
from proofmatch.cli import main

SECRET = "S3CRET"  # noqa: S105 - of an invented account


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://example.org/a.tar", "https://example.org/a.tar"),
        (f"https://ada:{SECRET}@example.org:8000/a.tar", "https://example.org:8000/a.tar"),
        (f"https://{SECRET}@example.org/a.tar", "https://example.org/a.tar"),
        (f"https://example.org/a.tar?X-Signature={SECRET}#{SECRET}", "https://example.org/a.tar"),
        ("s3://bucket/a?.xhtml", "s3://bucket/a?.xhtml"),
        (f"ftp://ada:{SECRET}@example.org/*.xhtml", "ftp://example.org/*.xhtml"),
        (f"zip://*.html::https://a:{SECRET}@b.org/c.zip?d={SECRET}", "zip://*.html::https://b.org/c.zip"),
        ("file:///data/a.tar", "file:///data/a.tar"),
    ],
)
def test_credentials_are_removed_from_urls_and_messages(url, public):
    assert public_url(url) == public
    assert SECRET not in public_words(f"cannot open {url}: refused for {url!r}", url)


@pytest.fixture
def served(web_server) -> str:
    """Articles behind a URL with a password and a signature, but for the names of files."""
    for article in sorted(sample_articles().rglob("*.xhtml"))[:8]:
        (web_server.folder / article.name).write_bytes(article.read_bytes())
    return web_server.url.replace("://", f"://ada:{SECRET}@")


def test_no_file_of_a_release_has_the_secrets_of_its_source(served, tmp_path):
    names = [path.name for path in sorted(sample_articles().rglob("*.xhtml"))[:8]]
    sources = [f"{served}/{name}?signature={SECRET}" for name in names]
    release = build_release([*sources, f"{served}/missing.xhtml"], tmp_path / "release", workers=1)
    files = [path for path in release.rglob("*") if path.is_file()]
    assert not [path.name for path in files if SECRET.encode() in path.read_bytes()]
    assert "127.0.0.1" in (release / "manifest.json").read_text()


@pytest.mark.parametrize("name", ["missing.tar", "missing.tar?signature=S3CRET"])
def test_no_message_has_the_secrets_of_a_source(served, name, tmp_path, capsys):
    assert main(["build", f"{served}/{name}", "--out", str(tmp_path / "release")]) == 2
    said = capsys.readouterr().err
    assert "missing.tar" in said
    assert SECRET not in said
