"""Documents that are damaged, mislabelled or hostile, each with the reason for which it must be discarded."""

import gzip
from functools import cache

from proofmatch.builder.reasons import Reason

XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'
PAIR = '<div class="theorem">Lemma. Let x be.</div><div class="proof">Proof. Clear.</div>'
DEPTH = 60_000
BEYOND_TEXT_LIMIT = 11_000_000  # libxml2 stops at ten million characters


def _xml(body: str, prologue: str = "") -> bytes:
    return f"{prologue}<html {XHTML}><body>{PAIR}{body}</body></html>".encode()


def _html(body: str) -> bytes:
    return f"<!DOCTYPE html><html><body>{PAIR}{body}</body></html>".encode()


def _laughs(levels: int) -> str:
    """An entity that stands for ten of the one before, and so on."""
    names = [f"e{level}" for level in range(levels)]
    steps = zip(names[1:], names, strict=False)
    return '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY {name} "{f"&{base};" * 10}">' for name, base in steps)


@cache
def bad_documents(url: str) -> dict[str, tuple[bytes, Reason]]:
    """File name → (bytes, why it is discarded).

    Args:
        url: Address that no document may make us visit.
    """
    deep = "<div>" * DEPTH + "x" + "</div>" * DEPTH
    long = "x" * BEYOND_TEXT_LIMIT
    latin = _xml("<p>caf\u00e9</p>").decode().encode("latin-1")
    declared = b'<?xml version="1.0" encoding="utf-8"?>'
    good = _xml("<p>and more text that goes on and on</p>")
    return {
        # Nothing there, or no markup.
        "empty.xhtml": (b"", Reason.EMPTY),
        "empty.html": (b"", Reason.EMPTY),
        "blank.xhtml": (b" \n\t\r\n ", Reason.EMPTY),
        "only-byte-order-mark.xhtml": (b"\xef\xbb\xbf\n", Reason.EMPTY),
        "text.html": (b"Lemma. Let x be given. Proof. Clear.", Reason.NOT_MARKUP),
        "picture.xhtml": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100), Reason.NOT_MARKUP),
        "compressed.html": (gzip.compress(good), Reason.NOT_MARKUP),
        "zeros.xhtml": (bytes(5000), Reason.NOT_MARKUP),
        "markup-then-zeros.html": (b"<html>" + bytes(5000), Reason.NOT_MARKUP),
        # Not well-formed.
        "mismatched.xhtml": (_xml("<p>x</div>"), Reason.MALFORMED),
        "bare-ampersand.xhtml": (_xml("a & b"), Reason.MALFORMED),
        "undeclared-entity.xhtml": (_xml("&alpha;"), Reason.MALFORMED),
        "repeated-attribute.xhtml": (_xml('<p a="1" a="2"/>'), Reason.MALFORMED),
        "repeated-encoding-attribute.xhtml": (_xml('<p encoding="1" encoding="2"/>'), Reason.MALFORMED),
        "control-character.xhtml": (_xml("\x01"), Reason.MALFORMED),
        "two-roots.xhtml": (good + b"<html/>", Reason.MALFORMED),
        "html-in-xml.xhtml": (_html("<br>"), Reason.MALFORMED),
        "no-element.html": (b'<!DOCTYPE html><!-- class="proof" --></html>', Reason.MALFORMED),
        # Cut off.
        "cut-in-text.xhtml": (good[:-40], Reason.TRUNCATED),
        "cut-after-element.xhtml": (good[: -len(b"</body></html>")], Reason.TRUNCATED),
        "cut.html": (_html("<p>and so on")[: -len(b"</body></html>")], Reason.TRUNCATED),
        # Mislabelled.
        "latin-undeclared.xhtml": (latin, Reason.WRONG_ENCODING),
        "latin-declared-utf8.xhtml": (declared + latin, Reason.WRONG_ENCODING),
        "latin.html": (_html("<p>caf\u00e9</p>").decode().encode("latin-1"), Reason.WRONG_ENCODING),
        "unknown-encoding.xhtml": (declared.replace(b"utf-8", b"klingon") + good, Reason.WRONG_ENCODING),
        # Too much of something.
        "deep.xhtml": (_xml(deep), Reason.TOO_DEEP),
        "deep.html": (_html(deep), Reason.TOO_DEEP),
        "deep-unclosed.html": (_html("<span>" * DEPTH), Reason.TOO_DEEP),
        "deep-formula.xhtml": (
            _xml("<math>" + "<mrow>" * DEPTH + "</mrow>" * DEPTH + "</math>"),
            Reason.TOO_DEEP,
        ),
        "long-text.xhtml": (_xml(long), Reason.TOO_LARGE),
        "long-text.html": (_html(long), Reason.TOO_LARGE),
        "long-attribute.xhtml": (_xml(f'<p title="{long}"/>'), Reason.TOO_LARGE),
        # Entities: exponential and quadratic growth, in texts and in attributes; files and addresses.
        "laughs.xhtml": (_xml("&e9;", f"<!DOCTYPE html [{_laughs(10)}]>"), Reason.ENTITY_DECLARATION),
        "laughs.html": (_xml("&e9;", f"<!DOCTYPE html [{_laughs(10)}]>"), Reason.ENTITY_DECLARATION),
        "laughs-in-attribute.xhtml": (
            _xml('<p title="&e9;"/>', f"<!DOCTYPE html [{_laughs(10)}]>"),
            Reason.ENTITY_DECLARATION,
        ),
        "quadratic.xhtml": (
            _xml("&a;" * 50_000, f'<!DOCTYPE html [<!ENTITY a "{"x" * 100_000}">]>'),
            Reason.ENTITY_DECLARATION,
        ),
        "quadratic-default.xhtml": (
            _xml("<p/>" * 50_000, f'<!DOCTYPE html [<!ATTLIST p title CDATA "{"x" * 100_000}">]>'),
            Reason.ENTITY_DECLARATION,
        ),
        "loop.xhtml": (
            _xml("&a;", '<!DOCTYPE html [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
            Reason.ENTITY_DECLARATION,
        ),
        "own-entity.xhtml": (_xml("&a;", '<!DOCTYPE html [<!ENTITY a "x">]>'), Reason.ENTITY_DECLARATION),
        "file-entity.xhtml": (
            _xml("&a;", '<!DOCTYPE html [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
            Reason.ENTITY_DECLARATION,
        ),
        "web-entity.xhtml": (
            _xml("&a;", f'<!DOCTYPE html [<!ENTITY a SYSTEM "{url}/entity">]>'),
            Reason.ENTITY_DECLARATION,
        ),
        "parameter-entity.xhtml": (
            _xml("", f'<!DOCTYPE html [<!ENTITY % a SYSTEM "{url}/parameter"> %a;]>'),
            Reason.ENTITY_DECLARATION,
        ),
    }


def harmless_documents(url: str, file: str) -> dict[str, bytes]:
    """Documents that point at a file or an address which must be left alone, and are fine otherwise.

    Args:
        url: Address that no document may make us visit.
        file: URL of a file that no document may make us read.
    """
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="{}"/>'
    return {
        "external-dtd.xhtml": _xml("&nbsp;&alpha;", f'<!DOCTYPE html SYSTEM "{url}/external.dtd">'),
        "public-dtd.xhtml": _xml("", f'<!DOCTYPE html PUBLIC "-//X//Y" "{url}/public.dtd">'),
        "external-dtd.html": _html("").replace(b"html>", f'html SYSTEM "{url}/html.dtd">'.encode(), 1),
        "include-address.xhtml": _xml(include.format(f"{url}/included")),
        "include-file.xhtml": _xml(include.format(file)),
        "stylesheet.xhtml": _xml("", f'<?xml-stylesheet type="text/xsl" href="{url}/style.xsl"?>'),
        "schema.xhtml": _xml(
            '<p xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            f'xsi:schemaLocation="urn:x {url}/schema.xsd"/>'
        ),
        "links.html": _html(
            f'<img src="{url}/image"><script src="{url}/script"></script><iframe src="{file}"></iframe>'
        ),
    }
