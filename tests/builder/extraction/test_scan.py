"""The scan may only say "no proof" where a parser finds no pair; it should say so of most articles."""

import itertools
import re
import tarfile
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.article import ArticleReader
from proofmatch.builder.extraction.scan import has_proof, is_literal
from proofmatch.builder.filters import load_detector
from proofmatch.builder.reasons import DocumentError, Reason
from proofmatch.builder.settings import BuildSettings
from tests.builder.extraction.documents import GENERATIONS, found, html5, xhtml
from tests.fuzz.articles import make

STATEMENT = '<div class="theorem">A</div>'


def may_have_proof(data: bytes) -> bool:
    return not is_literal(data) or has_proof(data)


def has_pairs(data: bytes, name: str) -> bool:
    try:
        return bool(found(data, name))
    except DocumentError:
        return False


def check(data: bytes, name: str) -> None:
    assert may_have_proof(data) or not has_pairs(data, name), data


@pytest.mark.parametrize(("name", "data"), GENERATIONS.values(), ids=GENERATIONS)
def test_a_proof_of_every_generation_is_seen(name, data):
    assert has_pairs(data, name)
    assert may_have_proof(data)


@pytest.mark.parametrize(
    "body",
    [
        "<p>The proof of <b>proof</b>, class=0, 'proof', \"proof\"</p>",
        '<p id="proof">proof</p><a href="#proof" class="ltx_ref">proof</a>',
        '<div class="ltx_theorem" title="no proof">A</div><div class="ltx_para">proof</div>',
        "<p>classproof class proof &amp;proof; &#8217;proof&#8217; &#160;</p>",
    ],
)
@pytest.mark.parametrize(("page", "name"), [(xhtml, "a.xhtml"), (html5, "a.html")])
def test_a_document_that_only_speaks_of_proofs_is_not_parsed(body, page, name):
    assert not has_pairs(page(body), name)
    assert not may_have_proof(page(body))


# How a proof can be written so that XML or HTML parsers see one, though not every parser each.
ATTRIBUTES = [
    'class="proof"',
    "class='proof'",
    "class=proof",
    "class=ltx_proof",
    "CLASS=ltx_proof",
    'Class = "x proof"',
    'class\n=\n"ltx_proof x"',
    'id="it\'s" class="it\'s proof"',
    "class='a \"b\" proof'",
    'class="a> proof"',
    'class="a\tproof\tb"',
    'class="&#112;roof"',
    'class="pro&#x6f;f"',
    'class="pro&#x006F;&#0102;"',
    "class=pr&#111;of",
    'class="x&#32;proof"',
    'class="x&#160;proof"',
    "class=x&nbsp;proof",
    'class="ltx&lowbar;proof"',
    'class="ltx&#95;proof"',
    f'class="{"x " * 1000}proof"',
    f'class{" " * 1000}={" " * 1000}"proof"',
    f"class={' ' * 1000}proof",
    'class="pr\0oof"',
    'class="pr\x01oof"',
    'data-class="x" class="proof" title="x"',
    'class="proof/"',
    "class=proof/",
]
DECLARATIONS = [
    "",
    "\ufeff",
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="ENCODING"?>',
    f"<?xml version='1.0'{' ' * 5000}encoding='ENCODING'?>",
    "<!DOCTYPE html>",
    '<!DOCTYPE html [<!ATTLIST div class CDATA "proof">]>',
    '<!-- [ <html> --><?x ?>\n<!DOCTYPE html SYSTEM "a>[" [<!ATTLIST div class CDATA "proof">]>',
    f'<!--{"-<html " * 2000}--><!DOCTYPE html [<!ATTLIST div class CDATA "proof">]>',
    '<!DOCTYPE html [<!ENTITY p "proof">]>',
]
ENCODINGS = [
    "utf-8",
    "utf-16",
    "utf-16-le",
    "utf-32",
    "utf-7",
    "latin-1",
    "windows-1252",
    "cp037",
    "shift_jis",
]


DTD = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def check_all(attributes: Iterable[str], declarations: Iterable[str], encoding: str = "utf-8") -> int:
    """Check every combination; return how many documents have a pair."""
    with_pairs = 0
    for attribute, declaration, page in itertools.product(attributes, declarations, (xhtml, html5)):
        text = (
            declaration.replace("ENCODING", encoding) + page(f"{STATEMENT}<div {attribute}>B</div>").decode()
        )
        data = text.encode(encoding, "replace")
        if encoding == "utf-7":  # which also allows letters to be encoded
            data = data.replace(b"proof", b"+AHAAcgBvAG8AZg-")
        for name in ("a.xhtml", "a.html"):
            check(data, name)
            with_pairs += has_pairs(data, name)
    return with_pairs


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_no_way_to_write_a_proof_is_missed(encoding):
    check_all([*ATTRIBUTES, ""], DECLARATIONS, encoding)


REFERENCES = (
    "&x; &nbsp; &shy; &zwnj; &#173; &#1; &#0; &#1 &#x1 &#; &#x; &; & &#xD800; &#x110000; &#127; &x;&y; &lt;"
)


@pytest.mark.parametrize("place", range(1, 5))
def test_references_that_parsers_drop_do_not_hide_a_proof(place):
    words = [f"{'proof'[:place]}{reference}{'proof'[place:]}" for reference in REFERENCES.split()]
    attributes = [form.format(word) for word in words for form in ('class="{}"', "class='a {}'", "class={}")]
    assert check_all(attributes, ["", DTD, "<!DOCTYPE html>"]) > 0


def test_white_space_around_the_equals_sign_does_not_hide_a_proof():
    forms = ('class{}="proof"', 'class={}"proof"', "class={}proof", "class{}=proof", "class {}=\n'x proof'")
    numbers = (*range(4), *range(240, 270), 1000)
    attributes = [form.format(" " * number) for form in forms for number in numbers]
    assert check_all(attributes, [""]) >= len(attributes)


FRAGMENTS = [
    *(
        "proof",
        "p",
        "pr",
        "roof",
        "oof",
        "f",
        "ltx_",
        "class",
        "class=",
        "CLASS =",
        "id=",
        "=",
        '"',
        "'",
        " ",
    ),
    *("&", "&x;", "&#1;", "&#112;", "&#x70", ";", "#", ">", "/", "<div ", "</div>", "<!--", "-->", "\n", "é"),
    *(
        "<![CDATA[",
        "]]>",
        '<div class="',
        '<div class="theorem">A</div><div class="',
        "<div class='",
        '">B</div>',
    ),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join), st.sampled_from(["", DTD]))
def test_no_proof_among_fragments_of_markup_is_missed(fragments, declaration):
    for page, name in ((xhtml, "a.xhtml"), (html5, "a.html")):
        for body in (f'{STATEMENT}<div {fragments}">B</div>', f"{STATEMENT}{fragments}</div>"):
            check(declaration.encode() + page(body), name)


@pytest.mark.parametrize("attribute", ATTRIBUTES[:8])
def test_these_ways_are_really_proofs(attribute):
    assert has_pairs(html5(f"{STATEMENT}<div {attribute}>B</div>"), "a.html")


@given(st.integers(min_value=0))
def test_no_pair_of_a_damaged_document_is_missed(seed):
    name, data = make(Random(seed))  # noqa: S311 - not for cryptography
    check(data, name)


@pytest.mark.corpus
@pytest.mark.parametrize("archive", ["stacks", "open", "latexml", "html5"])
def test_the_scan_agrees_with_the_parser_on_real_mathematics(corpus, archive):
    seen = missed = 0
    with tarfile.open(corpus / f"{archive}.tar.xz") as members:
        for number, member in enumerate(members):
            if number % 7 == 0 and member.isfile() and member.name.endswith(("html", "xhtml")):
                data = members.extractfile(member).read()
                check(data, member.name)
                without = re.sub(rb'(class="[^"]*)proof', rb"\1other", data)
                check(without, member.name)
                seen += 1
                missed += may_have_proof(without)
    assert seen
    assert missed < seen / 4


def test_a_document_without_proof_is_discarded_as_before():
    reader = ArticleReader(BuildSettings(), load_detector("cld2"))
    read = reader.read(xhtml("<p>We omit the proof.</p>"), "math/9902050.xhtml")
    assert [(one.article_id, one.reason, one.detail) for one in read.discarded] == [
        ("math/9902050", Reason.NO_PAIRS, "math/9902050.xhtml")
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Reason.EMPTY),
        (b"%PDF-1.4 </html>", Reason.NOT_MARKUP),
        (xhtml("<p>We omit it.</p>")[:-20], Reason.TRUNCATED),
    ],
)
def test_a_damaged_document_is_discarded_for_its_damage(data, reason):
    read = ArticleReader(BuildSettings(), load_detector("cld2")).read(data, "a.html")
    assert [one.reason for one in read.discarded] == [reason]
