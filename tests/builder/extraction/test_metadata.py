"""Whose article it is: from RDFa, `citation_*` meta tags, arXiv's stamp, and the path, in this order."""

import pytest

from proofmatch.builder.extraction.document import parse_document
from proofmatch.builder.extraction.metadata import canonical_id, id_from_path, read_license, source_of
from tests.builder.extraction.documents import html5, metadata, xhtml


def rdfa(**properties: str | list[str]) -> str:
    return "".join(
        f'<div class="RDFa" property="dct:{name}" content="{value}"/>'
        for name, values in properties.items()
        for value in ([values] if isinstance(values, str) else values)
    )


def meta(*tags: tuple[str, str]) -> str:
    return "".join(f'<meta name="{name}" content="{content}"/>' for name, content in tags)


STAMP = '<div id="watermark-tr">arXiv:2401.00001v2 [math.AG] 31 Dec 2023</div>'


@pytest.mark.parametrize("page", [xhtml, html5])
def test_rdfa_in_the_body_is_read(page):
    body = rdfa(
        identifier="1001.1082", title="On primes", creator="A. N. Other", subject=["math.NT", "math.CO"]
    )
    article = metadata(page(body + "<p>x</p>"), "a.xhtml" if page is xhtml else "a.html")
    assert (article.id, article.title) == ("1001.1082", "On primes")
    assert article.categories == ("math.NT", "math.CO")
    assert article.primary_category == "math.NT"


@pytest.mark.parametrize("prefix", ["dct", "dc", "dcterms"])
def test_the_usual_prefixes_of_dublin_core_are_known(prefix):
    page = xhtml(f'<div property="{prefix}:identifier" content="1001.1082"/>')
    assert metadata(page).id == "1001.1082"


def test_rdfa_can_be_the_text_of_its_element():
    page = xhtml('<div property="dct:title">On <b>primes</b>\n and more</div>')
    assert metadata(page).title == "On primes and more"


def test_citation_tags_in_the_head_are_read():
    head = meta(
        ("citation_title", "On primes"),
        ("citation_arxiv_id", "1001.1082v3"),
        ("citation_arxiv_category", "math.NT"),
        ("citation_arxiv_category", "math.AG"),
    )
    article = metadata(html5("", head), "a.html")
    assert (article.id, article.title, article.categories) == (
        "1001.1082",
        "On primes",
        ("math.NT", "math.AG"),
    )


def test_names_of_meta_tags_are_read_in_any_case():
    assert metadata(xhtml("", meta(("DC.Title", "On primes")))).title == "On primes"


def test_arxivs_stamp_is_read():
    article = metadata(html5(STAMP), "index.html")
    assert (article.id, article.categories) == ("2401.00001", ("math.AG",))


def test_the_order_of_trust_is_rdfa_citation_stamp_path():
    head = meta(("citation_arxiv_id", "2222.22222"), ("citation_categories", "math.CO"))
    name = "math.GT/4444.44444.xhtml"
    body = rdfa(identifier="1111.11111", subject="math.NT") + STAMP
    assert metadata(xhtml(body, head), name).id == "1111.11111"
    assert metadata(xhtml(STAMP, head), name).id == "2222.22222"
    assert metadata(xhtml(STAMP), name).id == "2401.00001"
    assert metadata(xhtml(""), name).id == "4444.44444"
    assert metadata(xhtml(body, head), name).categories == ("math.NT",)
    assert metadata(xhtml(STAMP, head), name).categories == ("math.CO",)
    assert metadata(xhtml(STAMP), name).categories == ("math.AG",)
    assert metadata(xhtml(""), name).categories == ("math.GT",)


@pytest.mark.parametrize(
    ("subjects", "categories"),
    [
        (["math.NT"], ("math.NT",)),
        (["math.NT", "math.CO", "math.NT"], ("math.NT", "math.CO")),
        (["math.NT; math.CO, cs.DM"], ("math.NT", "math.CO", "cs.DM")),
        (["math.NT math.CO"], ("math.NT", "math.CO")),
        (["hep-th", "math-ph", "cond-mat.mes-hall"], ("hep-th", "math-ph", "cond-mat.mes-hall")),
        (["alg-geom", "q-alg"], ("alg-geom", "q-alg")),
        (["Mathematics - Number Theory", "math.NT"], ("math.NT",)),
        (["11A41"], ()),
        ([], ()),
    ],
)
def test_the_first_category_is_the_primary_one(subjects, categories):
    article = metadata(xhtml(rdfa(subject=subjects)))
    assert article.categories == categories
    assert article.primary_category == (categories[0] if categories else None)


@pytest.mark.parametrize(
    "keywords", ["mathematical physics, operators", "statistical physics", "econ and math"]
)
def test_keywords_in_plain_words_are_no_categories(keywords):
    assert metadata(html5("", meta(("citation_keywords", keywords))), "a.html").categories == ()


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        (
            "<title>From head</title>",
            '<h1 class="ltx_title ltx_title_document">From heading</h1>',
            "From heading",
        ),
        ("<title>From head</title>", "<h1>A section</h1>", "From head"),
        ("<title> </title>", "<h1>From\n heading</h1>", "From heading"),
        ("", '<h1 class="title">From heading</h1>', "From heading"),
        ("", '<h1>On <math alttext="x"><mi>x</mi></math> and costs</h1>', "On $x$ and costs"),
        ("", "<p>x</p>", ""),
        (meta(("citation_title", "")) + "<title>From head</title>", "", "From head"),
    ],
)
def test_without_metadata_the_title_is_the_headline(head, body, title):
    assert metadata(xhtml(body, head)).title == title


@pytest.mark.parametrize(
    ("path", "identifier"),
    [
        ("MREC/9902/math_9902050.xhtml", "math/9902050"),
        ("0704/0704_0001.xhtml", "0704.0001"),
        ("0704.0001.html", "0704.0001"),
        ("2401.00001v3.html", "2401.00001"),
        ("2401/2401.00001v1/index.html", "2401.00001"),
        ("math_9902050/main.xhtml", "math/9902050"),
        ("math/9902050.xhtml", "math/9902050"),
        ("hep-th/9901001.xhtml", "hep-th/9901001"),
        ("9901/hep-th9901001.xhtml", "hep-th/9901001"),
        ("math.GT_0309136v2.xhtml", "math/0309136"),
        ("cond-mat_0001001.xhtml", "cond-mat/0001001"),
        ("chapters/Chx1.sec one.html", "Chx1.sec_one"),
        ("index.html", "index"),
        ("stacks.sets.s01.xhtml", "stacks.sets.s01"),
        ("123456.xhtml", "123456"),
    ],
)
def test_the_id_is_found_in_the_path(path, identifier):
    assert id_from_path(path) == identifier


@pytest.mark.parametrize(
    ("written", "identifier"),
    [
        ("arXiv:1001.1082v2", "1001.1082"),
        ("arxiv:math/9902050", "math/9902050"),
        ("http://arxiv.org/abs/1001.1082", "1001.1082"),
        ("https://www.arxiv.org/pdf/2401.00001v1", "2401.00001"),
        ("https://arxiv.org/abs/math.GT/0309136", "math/0309136"),
        (" 1001.1082\n", "1001.1082"),
        ("doi:10.1000/182", "doi:10.1000/182"),
        ("two words", "two_words"),
    ],
)
def test_arxiv_ids_are_written_one_way(written, identifier):
    assert canonical_id(written) == identifier
    assert canonical_id(identifier) == identifier


@pytest.mark.parametrize(
    ("path", "categories"),
    [
        ("math.AG/0704_0001.xhtml", ("math.AG",)),
        ("hep-th_9901001.xhtml", ("hep-th",)),
        ("0704/0704_0001.xhtml", ()),
        ("physics/math.AG/paper.xhtml", ("math.AG",)),
    ],
)
def test_the_path_can_tell_a_category(path, categories):
    assert metadata(xhtml(""), path).categories == categories


def test_empty_metadata_is_as_good_as_none():
    page = xhtml(rdfa(identifier="", title="", subject="") + "<h1>Title</h1>")
    article = metadata(page, "0704_0001.xhtml")
    assert (article.id, article.title, article.categories) == ("0704.0001", "Title", ())


CC_BY = "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    "element",
    [
        f'<div class="RDFa" property="dct:license" content="{CC_BY}"/>',
        f'<span property="dcterms:license" resource="{CC_BY}">Creative Commons</span>',
        f'<a rel="license" href="{CC_BY}">some rights reserved</a>',
        f'<link rel="nofollow license" href="{CC_BY}"/>',
        f'<p property="dcterms:license">\n {CC_BY} </p>',
        f'<a id="license-tr" href="https://info.arxiv.org/help/license">License: {CC_BY}</a>',
    ],
)
@pytest.mark.parametrize("page", [xhtml, html5])
def test_the_licence_is_read_wherever_documents_state_it(element, page):
    name = "a.xhtml" if page is xhtml else "a.html"
    assert read_license(parse_document(page(f"<div>{element}</div>"), name)) == CC_BY


def test_a_document_without_a_licence_has_none():
    body = '<div property="dct:title" content="x"/><a rel="nofollow" href="license.html">license</a>'
    assert read_license(parse_document(xhtml(body), "a.xhtml")) is None


def test_a_licence_is_one_line_of_bounded_length():
    words = "free \n" * 10_000
    stated = read_license(parse_document(xhtml(f'<p property="dct:license">{words}</p>'), "a.xhtml"))
    assert stated is not None
    assert "\n" not in stated
    assert len(stated) <= 200


@pytest.mark.parametrize(
    ("article", "source"),
    [
        ("stacks.sets", "folder/sets.xhtml#Thm1"),
        ("1001.1082", "https://arxiv.org/abs/1001.1082#Thm1"),
        ("math/9902050", "https://arxiv.org/abs/math/9902050#Thm1"),
    ],
)
def test_a_source_is_a_document_and_an_element_of_it(article, source):
    assert source_of(article, "folder/sets.xhtml", "Thm1") == source
