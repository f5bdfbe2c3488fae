"""Presentation MathML → tokens: the leaves of the tree, depth first.

Pinned here: the order, the fences and separators that live in attributes, that annotations never leak, that
invisible operators are tokens, that the spelling of the namespace does not matter, and what is refused.
"""

import pytest
from lxml import etree

from proofmatch.builder import math_tokens
from proofmatch.builder.extraction.document import parse_document
from proofmatch.builder.linearization.formulas import read_formula
from proofmatch.builder.linearization.presentation import MATH_TAGS

MATHML = "http://www.w3.org/1998/Math/MathML"
XHTML = "http://www.w3.org/1999/xhtml"
DTD = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN" "http://www.w3.org/x.dtd">'


def surfaces(content: str) -> list[str]:
    """The surfaces of a formula without fonts."""
    tokens = math_tokens(f"<math>{content}</math>")
    assert all(token.startswith("m:") for token in tokens)
    return [token.removeprefix("m:") for token in tokens]


def formula_in_document(math: str, prologue: str = DTD) -> list[str]:
    page = f'{prologue}<html xmlns="{XHTML}" xmlns:m="{MATHML}"><body><p>{math}</p></body></html>'
    root = parse_document(page.encode(), "page.xhtml")
    return read_formula(next(root.iter(*MATH_TAGS))).tokens.split()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<msup><mi>x</mi><mn>2</mn></msup>", "x 2"),
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "a + b c"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
            "∑ i = 1 n",
        ),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><msqrt><mi>y</mi></msqrt>", "x 3 y"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>", "1 2"),
        (
            "<mmultiscripts><mi>T</mi><mi>i</mi><none/><mprescripts/><mi>j</mi><none/></mmultiscripts>",
            "T i j",
        ),
        ("<mover><mi>x</mi><mo>¯</mo></mover><mspace width='1em'/><mphantom><mi>y</mi></mphantom>", "x ¯ y"),
        ("<unknown><mi>x</mi></unknown>", "x"),
    ],
)
def test_leaves_are_read_depth_first(content, expected):
    assert surfaces(content) == expected.split()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<mi> x </mi>", "x"),
        ("<mi>\n  x\n</mi>", "x"),
        ("<mtext>for all</mtext>", "for all"),
        ("<mn>1 000</mn>", "1 000"),
        ("<mo>:=</mo>", ":="),
        ("<mi></mi><mo/><mi> </mi>", ""),
        ("stray <mi>x</mi> text", "x"),
        ("<mi>x<!-- a comment -->y</mi>", "xy"),
        ("<mi><?note here?>x</mi>", "x"),
    ],
)
def test_a_leaf_is_as_many_tokens_as_it_has_words(content, expected):
    assert surfaces(content) == expected.split()


def test_an_empty_formula_has_no_tokens():
    assert math_tokens("<math/>") == []


@pytest.mark.parametrize("operator", ["\u2061", "\u2062", "\u2063", "\u2064"])
def test_invisible_operators_are_tokens(operator):
    assert surfaces(f"<mi>f</mi><mo>{operator}</mo><mi>x</mi>") == ["f", operator, "x"]


XYZ = "<mi>x</mi><mi>y</mi><mi>z</mi>"


@pytest.mark.parametrize(
    ("attributes", "children", "expected"),
    [
        ("", XYZ, "( x , y , z )"),
        ("", "<mi>x</mi>", "( x )"),
        ("", "", "( )"),
        ('open="[" close="["', XYZ, "[ x , y , z ["),
        ('open="" close="}"', "<mi>x</mi>", "x }"),
        ('open="⟨" close="⟩" separators="|"', XYZ, "⟨ x | y | z ⟩"),
        ('separators=";,"', XYZ + "<mi>t</mi>", "( x ; y , z , t )"),
        ('separators=" ; , "', XYZ, "( x ; y , z )"),
        ('separators=";,:!"', "<mi>x</mi><mi>y</mi>", "( x ; y )"),
        ('separators=""', XYZ, "( x y z )"),
        ('separators=" "', XYZ, "( x y z )"),
        ('open="||" close="||"', "<mi>x</mi>", "|| x ||"),
    ],
)
def test_fences_and_separators_are_read_from_attributes(attributes, children, expected):
    assert surfaces(f"<mfenced {attributes}>{children}</mfenced>") == expected.split()


def test_fences_nest():
    inner = '<mfenced open="[" close="]"><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow></mfenced>'
    assert surfaces(f"<mi>f</mi><mfenced>{inner}<mi>d</mi></mfenced>") == list("f([a,b+c],d)")


def test_fences_are_what_they_stand_for_in_any_font():
    """The MathML specification defines `mfenced` by the `mrow` with operators that it abbreviates."""
    fenced = "<mfenced><mi>x</mi><mi>y</mi></mfenced>"
    written_out = "<mrow><mo>(</mo><mi>x</mi><mo>,</mo><mi>y</mi><mo>)</mo></mrow>"
    for style in ("<mstyle>{}</mstyle>", '<mstyle mathvariant="bold">{}</mstyle>'):
        assert math_tokens(f"<math>{style.format(fenced)}</math>") == math_tokens(
            f"<math>{style.format(written_out)}</math>"
        )


ANNOTATIONS = (
    '<annotation encoding="application/x-tex">LEAK</annotation>'
    '<annotation encoding="text/plain"><mi>LEAK</mi></annotation>'
    '<annotation-xml encoding="MathML-Content"><apply><plus/><ci>LEAK</ci></apply></annotation-xml>'
    '<annotation-xml encoding="MathML-Presentation"><mrow><mi>LEAK</mi></mrow></annotation-xml>'
    '<annotation-xml encoding="application/xhtml+xml"><p>LEAK <math><mi>LEAK</mi></math></p></annotation-xml>'
)


@pytest.mark.parametrize(
    "content",
    [
        f"<semantics><mi>x</mi>{ANNOTATIONS}</semantics>",
        f"<semantics><mrow><mi>x</mi></mrow>{ANNOTATIONS}</semantics>",
        f"<mstyle mathvariant='normal'><semantics><mi>x</mi>{ANNOTATIONS}</semantics></mstyle>",
        f"<mrow><semantics><semantics><mi>x</mi>{ANNOTATIONS}</semantics>{ANNOTATIONS}</semantics></mrow>",
        f"<mfenced open='' close=''><semantics><mi>x</mi>{ANNOTATIONS}</semantics></mfenced>",
        f"<mi>x</mi>{ANNOTATIONS}",
        f"<mtext>x<math><semantics><mrow/>{ANNOTATIONS}</semantics></math></mtext>",
    ],
)
def test_annotations_never_leak(content):
    assert surfaces(content) == ["x"]


def test_what_follows_an_annotation_is_read():
    content = f"<semantics><mi>x</mi>{ANNOTATIONS}</semantics><mo>=</mo><mi>y</mi>"
    assert surfaces(content) == ["x", "=", "y"]


def test_presentation_beside_content_annotations_is_not_converted():
    content = (
        "<semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
        '<annotation-xml encoding="MathML-Content"><apply><undefined/><ci>c</ci></apply></annotation-xml>'
        "</semantics>"
    )
    assert surfaces(content) == ["a", "+", "b"]


def test_html_inside_text_is_read_as_text():
    content = "<mtext>if <span>the <b>gro</b><i>up</i></span> is<em class='x'> free</em></mtext>"
    assert surfaces(content) == ["if", "the", "group", "is", "free"]


def test_a_formula_inside_text_is_not_one_word():
    content = "<mtext>if <math><semantics><mrow><mi>a</mi><mi>b</mi></mrow></semantics></math>, then</mtext>"
    assert surfaces(content) == ["if", "a", "b", ",", "then"]


SPELLINGS = {
    "no namespace": "<math>{}</math>",
    "default namespace": f'<math xmlns="{MATHML}">{{}}</math>',
    "customary prefix": "<m:math>{}</m:math>",
    "declared prefix": f'<mml:math xmlns:mml="{MATHML}">{{}}</mml:math>',
    "XHTML's namespace": f'<math xmlns="{XHTML}">{{}}</math>',
    "XML declaration": '<?xml version="1.0" encoding="utf-8"?>\n<math>{}</math>\n',
}
CONTENT = (
    '<mstyle mathvariant="bold"><mi>x</mi></mstyle><mfenced><mi>y</mi><mtext>z</mtext></mfenced>'
    "<semantics><mn>1</mn><annotation>LEAK</annotation></semantics>"
)
EXPECTED = ["m.bold:x", "m:(", "m:y", "m:,", "m:z", "m:)", "m:1"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_spelling_of_the_namespace_does_not_matter(spelling):
    prefix = {"customary prefix": "m:", "declared prefix": "mml:"}.get(spelling, "")
    content = CONTENT.replace("</", "\0").replace("<", f"<{prefix}").replace("\0", f"</{prefix}")
    assert math_tokens(SPELLINGS[spelling].format(content)) == EXPECTED


@pytest.mark.parametrize("spelling", ["default namespace", "customary prefix", "no namespace"])
def test_in_a_document_it_does_not_matter_either(spelling):
    prefix = "m:" if spelling == "customary prefix" else ""
    content = CONTENT.replace("</", "\0").replace("<", f"<{prefix}").replace("\0", f"</{prefix}")
    assert formula_in_document(SPELLINGS[spelling].format(content)) == EXPECTED


def test_html_gives_the_same_tokens_as_xml():
    page = f"<!DOCTYPE html><html><body><p>Let <math>{CONTENT}</math>.</p></body></html>"
    root = parse_document(page.encode(), "page.html")
    assert read_formula(next(root.iter("math"))).tokens.split() == EXPECTED


@pytest.mark.parametrize(
    ("entity", "token"),
    [
        ("&alpha;", "m:α"),
        ("&InvisibleTimes;", "m:\u2062"),
        ("&ApplyFunction;", "m:\u2061"),
        ("&Ropf;", "m.double-struck:R"),
        ("&afr;", "m.fraktur:a"),
        ("&le;", "m:≤"),
        ("&lt;", "m:<"),
        ("&gt;", "m:>"),
        ("&amp;", "m:&"),
        ("&#945;", "m:α"),
        ("&#x1D431;", "m.bold:x"),
    ],
)
def test_entities_are_resolved(entity, token):
    assert math_tokens(f"<math><mi>{entity}</mi></math>") == [token]
    assert formula_in_document(f"<m:math><m:mi>{entity}</m:mi></m:math>") == [token]


@pytest.mark.parametrize(
    ("entity", "surface"), [("&LT;", "<"), ("&AMP;", "&"), ("&GT;", ">"), ("&nvlt;", "<\u20d2")]
)
def test_entities_that_stand_for_markup_characters_are_resolved(entity, surface):
    assert math_tokens(f"<math><mo>{entity}</mo></math>") == [f"m:{surface}"]


def test_an_entity_in_the_middle_of_a_leaf_is_resolved_in_place():
    assert formula_in_document("<m:math><m:mtext>na&iuml;ve &alpha;</m:mtext></m:math>") == ["m:naïve", "m:α"]


def test_an_entity_declared_by_an_external_dtd_takes_the_font_of_its_leaf():
    math = '<m:math><m:mi mathvariant="bold">&alpha;</m:mi></m:math>'
    assert formula_in_document(math) == ["m.bold:α"]


def test_the_dtd_is_needed_for_entities_in_a_document():
    with pytest.raises(Exception, match="Entity 'alpha' not defined"):
        formula_in_document("<m:math><m:mi>&alpha;</m:mi></m:math>", prologue="")


@pytest.mark.parametrize(
    "string",
    [
        "",
        "   ",
        "x + y",
        "$x$",
        "<p>x</p>",
        "<mi>x</mi>",
        "<math><mi>x</math>",
        "<math><mi>x</mi>",
        "<math/><math/>",
        "<p><math/></p>",
        "let <math/>",
        "<math/> be",
        "<m:math/></formula><formula>",
        "<math><mi>&bogus;</mi></math>",
        "<math><mi>&notanentity;</mi></math>",
        "<math><mi>a & b</mi></math>",
        "<math><mi>\0</mi></math>",
        "<q:math/>",
        "<MATH/>",
        '<!DOCTYPE math [<!ENTITY a "b">]><math><mi>&a;</mi></math>',
        "<math>" + 300 * "<mrow>" + 300 * "</mrow>" + "</math>",
    ],
)
def test_an_invalid_formula_is_a_value_error(string):
    with pytest.raises(ValueError, match=r"<math> element"):
        math_tokens(string)


def test_reading_leaves_the_document_as_it_is():
    root = etree.fromstring(f'<math xmlns="{MATHML}">{CONTENT}</math>')
    before = etree.tostring(root)
    first, second = read_formula(root), read_formula(root)
    assert first == second
    assert etree.tostring(root) == before


@pytest.mark.parametrize(
    ("math", "tex"),
    [
        ('<math alttext="x^{2}"><mi>x</mi></math>', "x^{2}"),
        (
            "<math><semantics><mi>x</mi>"
            '<annotation encoding="application/x-tex">x^{2}</annotation></semantics></math>',
            "x^{2}",
        ),
        (
            '<math alttext="a"><semantics><mi>x</mi>'
            '<annotation encoding="application/x-tex">b</annotation></semantics></math>',
            "a",
        ),
        (
            '<math alttext=""><semantics><mi>x</mi>'
            '<annotation encoding="application/x-tex">b</annotation></semantics></math>',
            "b",
        ),
        (
            "<math><semantics><mi>x</mi>"
            '<annotation-xml encoding="MathML-Content"><ci>x</ci></annotation-xml>'
            '<annotation encoding="application/x-tex">x</annotation></semantics></math>',
            "x",
        ),
        (
            "<math><semantics><apply><plus/><ci>a</ci><ci>b</ci></apply>"
            '<annotation encoding="application/x-tex">a+b</annotation></semantics></math>',
            "a+b",
        ),
        (
            '<math><semantics><mi>x</mi><annotation encoding="text/plain">x</annotation></semantics></math>',
            None,
        ),
        ("<math><mi>x</mi></math>", None),
        ('<math alttext="a%&#10;  +b"><mi>x</mi></math>', "a+b"),
    ],
)
def test_tex_comes_from_alttext_or_an_annotation(math, tex):
    assert read_formula(etree.fromstring(math)).tex == tex


def test_a_percent_sign_that_belongs_to_the_formula_stays():
    assert read_formula(etree.fromstring(r'<math alttext="5\%"><mn>5</mn></math>')).tex == r"5\%"
    assert read_formula(etree.fromstring(r'<math alttext="5\%%&#10;+1"><mn>5</mn></math>')).tex == r"5\%+1"


def test_why_a_formula_is_refused_is_said_on_one_line():
    with pytest.raises(ValueError, match="not a well-formed <math> element") as error:
        math_tokens("<math><mi>x</mi>\n<![CDATA[ y </math>\n")
    assert "\n" not in str(error.value)
