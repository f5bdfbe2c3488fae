"""URLs without what is nobody else's business: names, passwords, and the signatures of queries."""

from urllib.parse import urlsplit, urlunsplit

_WEB = ("http", "https")  # elsewhere, a question mark may belong to a pattern


def public_url(url: str) -> str:
    """Leave out of a URL what lets its owner in.

    >>> public_url("https://ada:secret@example.org/articles.tar?signature=abc")
    'https://example.org/articles.tar'
    >>> public_url("zip://*.xhtml::s3://key:secret@bucket/a.zip")
    'zip://*.xhtml::s3://bucket/a.zip'
    """
    return "::".join(_public_part(part) for part in url.split("::"))


def public_words(words: str, url: str) -> str:
    """Leave it out of what a library says about a URL, too."""
    words = words.replace(url, public_url(url))
    for part in url.split("::"):
        split = urlsplit(part)
        secrets = [split.netloc.rpartition("@")[0], split.password]
        if split.scheme in _WEB:
            secrets += [split.query, split.fragment]
        for secret in filter(None, secrets):
            words = words.replace(secret, "…")
    return words


def _public_part(part: str) -> str:
    split = urlsplit(part)
    if not split.scheme or not split.netloc:
        return part
    host = split.netloc.rpartition("@")[2]
    if split.scheme in _WEB:
        return urlunsplit((split.scheme, host, split.path, "", ""))
    return part.replace(split.netloc, host, 1)
