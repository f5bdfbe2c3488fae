"""Bytes of one article → tree: what is accepted, and that whatever else comes is refused by name.

Pinned here: damaged, mislabelled and hostile documents each have their reason; nothing they say makes us read
a file or visit an address; being cut off anywhere never passes for a complete article.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.extraction.document import parse_document
from proofmatch.builder.reasons import DocumentError, Reason
from tests.builder.bad_documents import bad_documents, harmless_documents
from tests.builder.extraction.documents import html5, xhtml

DECLARATION = '<?xml version="1.0" encoding="{}"?>'
ACCENTED = xhtml("<p>naïve Größe</p>").decode()
HIDDEN = "the combination of the safe"


def text_of(data: bytes, name: str = "article.xhtml") -> str:
    return "".join(parse_document(data, name).itertext())


@pytest.mark.parametrize("name", bad_documents(""))
def test_a_bad_document_is_discarded_with_its_reason(name, web_server):
    data, reason = bad_documents(web_server.url)[name]
    with pytest.raises(DocumentError) as caught:
        parse_document(data, name)
    assert caught.value.reason is reason
    assert len(caught.value.detail) < 200
    assert web_server.requests == []


@pytest.mark.parametrize("name", harmless_documents("", ""))
def test_what_a_document_points_at_is_left_alone(name, web_server, tmp_path):
    hidden = tmp_path / "hidden.txt"
    hidden.write_text(HIDDEN)
    root = parse_document(harmless_documents(web_server.url, hidden.as_uri())[name], name)
    text = "".join(root.itertext())
    assert "Let x be." in text
    assert HIDDEN not in text
    assert web_server.requests == []


@pytest.mark.parametrize(
    "data",
    [
        ACCENTED.encode(),
        (DECLARATION.format("utf-8") + ACCENTED).encode(),
        ACCENTED.encode("utf-8-sig"),
        (DECLARATION.format("iso-8859-1") + ACCENTED).encode("latin-1"),
        (DECLARATION.format("windows-1252") + ACCENTED).encode("cp1252"),
        ACCENTED.encode("utf-16"),
        (DECLARATION.format("utf-16") + ACCENTED).encode("utf-16"),
        b"\xfe\xff" + ACCENTED.encode("utf-16-be"),
        b"\n  " + ACCENTED.encode(),
    ],
    ids=[
        "utf-8",
        "declared",
        "marked",
        "latin",
        "windows",
        "utf-16",
        "utf-16 declared",
        "big-endian",
        "indented",
    ],
)
def test_encodings_that_are_declared_or_marked_are_read(data):
    assert "naïve Größe" in text_of(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_html_is_read_as_utf8(encoding):
    page = html5("<p>naïve Größe</p>").decode().encode(encoding)
    assert "naïve Größe" in text_of(page, "article.html")


def test_html_that_claims_another_encoding_is_read_as_the_utf8_it_is():
    assert "Größe" in text_of(html5("<p>Größe</p>", '<meta charset="iso-8859-1">'), "article.html")


@pytest.mark.parametrize("name", ["article.html", "article.htm", "ARTICLE.HTML", "article"])
def test_tag_soup_is_html_unless_its_name_says_xml(name):
    soup = html5("<p>one<br>two<p>three &nbsp;&alpha;")
    assert "three \u00a0α" in text_of(soup, name)


@pytest.mark.parametrize("name", ["article.xhtml", "article.XHTML", "article.xml"])
def test_tag_soup_under_the_name_of_xml_is_malformed(name):
    with pytest.raises(DocumentError) as caught:
        parse_document(html5("<p>one<br>two"), name)
    assert caught.value.reason is Reason.MALFORMED


def test_html_with_an_xml_declaration_is_xml():
    assert parse_document(b'<?xml version="1.0"?>' + xhtml("x"), "a.html").tag.startswith("{http")


def test_html_that_has_xhtmls_namespace_and_is_well_formed_is_xml():
    assert parse_document(xhtml("x"), "a.html").tag.startswith("{http")


def test_html_that_only_declares_xhtmls_namespace_is_html():
    soup = b'<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>a<br>b</body></html>'
    assert parse_document(soup, "a.html").tag == "html"


@pytest.mark.parametrize(("page", "name"), [(xhtml, "a.xhtml"), (html5, "a.html")])
def test_two_hundred_levels_are_not_too_deep(page, name):
    assert "deep" in text_of(page("<div>" * 200 + "deep" + "</div>" * 200), name)


@pytest.mark.parametrize(("page", "name"), [(xhtml, "a.xhtml"), (html5, "a.html")])
def test_many_elements_side_by_side_are_no_problem(page, name):
    assert text_of(page("<i>x</i>" * 100_000), name).count("x") == 100_000


@pytest.mark.parametrize(("page", "name"), [(xhtml, "a.xhtml"), (html5, "a.html")])
def test_comments_and_instructions_are_left_out(page, name):
    root = parse_document(page("a<!-- hidden --><?hidden?>b"), name)
    assert "hidden" not in "".join(root.itertext())
    assert all(isinstance(element.tag, str) for element in root.iter())


DAMAGE = {
    Reason.EMPTY,
    Reason.NOT_MARKUP,
    Reason.MALFORMED,
    Reason.TRUNCATED,
    Reason.WRONG_ENCODING,
}
WHOLE = (DECLARATION.format("utf-8") + xhtml('<p title="é">a &amp; b <!-- c --> é</p>').decode()).encode()


@pytest.mark.parametrize(
    ("data", "name"), [(WHOLE, "a.xhtml"), (html5('<p title="é">a &amp; b <!-- c --> é</p>'), "a.html")]
)
def test_a_document_that_is_cut_off_anywhere_never_passes(data, name):
    for length in range(len(data) - len(">")):
        with pytest.raises(DocumentError) as caught:
            parse_document(data[:length], name)
        assert caught.value.reason in DAMAGE, length


@given(st.binary(max_size=200), st.sampled_from(["a.xhtml", "a.html"]))
def test_arbitrary_bytes_are_refused_or_read_but_nothing_worse(data, name):
    try:
        parse_document(data, name)
    except DocumentError as error:
        assert error.reason in DAMAGE


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255), st.sampled_from(["a.xhtml", "a.html"]))
def test_one_wrong_byte_is_refused_or_read_but_nothing_worse(place, byte, name):
    data = WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :]
    try:
        parse_document(data, name)
    except DocumentError as error:
        assert error.reason in DAMAGE
