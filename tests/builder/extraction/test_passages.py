"""A statement or proof as a passage: what people read, what is counted, what the tokens are."""

import pytest
from lxml import etree

from proofmatch.builder.extraction.passages import passage_tokens, read_passage, readable, running_text
from proofmatch.builder.records import Passage
from tests.builder.extraction.documents import DTD, parse_document, raw_pairs, xhtml

X = '<math alttext="x^{2}"><msup><mi>x</mi><mn>2</mn></msup></math>'
WITHOUT_TEX = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
ANNOTATED = (
    "<math><semantics><mi>y</mi><annotation-xml encoding='MathML-Content'><ci>y</ci></annotation-xml>"
    "<annotation encoding='application/x-tex'>y_{0}</annotation></semantics></math>"
)


def passage(content: str, longest: int = 500) -> Passage:
    page = parse_document(xhtml(f"<div>{content}</div>", prologue=DTD), "page.xhtml")
    return read_passage(next(page.iter("{*}div")), longest)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (f"Let {X} be.", "Let $x^{2}$ be."),
        (f"Let {ANNOTATED} be.", "Let $y_{0}$ be."),
        (f"Let {WITHOUT_TEX} be.", "Let x 2 be."),
        (f"{X}{X}", "$x^{2}$$x^{2}$"),
        ('<math alttext="a%&#10;  +b"><mi>x</mi></math>', "$a+b$"),
        ("It costs $5 or US$6.", r"It costs \$5 or US\$6."),
        ("two\n   words\there", "two words here"),
        ("a&nbsp;b &eacute;t&eacute; &lt;", "a b été <"),
        ("", ""),
    ],
)
def test_readable_text_has_tex_between_dollars(content, text):
    assert readable(passage(content)) == text


@pytest.mark.parametrize("attribute", ['alttext=""', 'alttext=" "'])
def test_a_formula_with_empty_tex_is_read_by_its_symbols(attribute):
    assert readable(passage(f"Let <math {attribute}><mi>x</mi></math> be.")) == "Let x be."


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("<p>One.</p><p>Two.</p>", ["One.", "Two."]),
        ("<p>One\n line.</p>\n\n<p> </p><p>Two.</p>", ["One line.", "Two."]),
        ("<h6>Lemma.</h6>Text<br/>more", ["Lemma.", "Text", "more"]),
        ("<ul><li>a</li><li><p>b</p></li></ul>c", ["a", "b", "c"]),
        ("a <b>b</b><i>c</i> <span>d</span>", ["a bc d"]),
        (f"<table><tr><td>{X}</td><td>(1)</td></tr></table>", ["$x^{2}$", "(1)"]),
    ],
)
def test_readable_text_has_a_line_for_each_block(content, lines):
    assert readable(passage(content)).split("\n") == lines


@pytest.mark.parametrize("element", ["script", "style", "svg", "noscript", "template", "button"])
def test_elements_that_are_not_text_are_left_out(element):
    read = passage(f"a <{element}>var <b>x</b> {X}</{element}> b")
    assert (readable(read), read.length) == ("a b", (2, 0))


@pytest.mark.parametrize(
    ("content", "words", "leaves"),
    [
        ("Let us see.", 3, 0),
        ("", 0, 0),
        (f"Let {X} be.", 2, 2),
        (f"{X}{ANNOTATED}", 0, 3),
        ("<b>W</b>ord", 2, 0),
        ("(<i>a</i>)", 3, 0),
        ("<p>Let</p> us <p>see <b>now</b>.</p>", 5, 0),
        (f"such that {X}.", 3, 2),
        ("don't non-zero 2.1 x,y", 4, 0),
        ("<math><mo>\u2062</mo><mtext>two words</mtext></math>", 0, 3),
        ("a <!-- not counted --> b", 2, 0),
    ],
)
def test_length_counts_the_words_of_each_text_node_and_the_leaves_of_formulas(content, words, leaves):
    length = passage(content).length
    assert length == (words, leaves)
    assert length.total == words + leaves


def test_tokens_are_those_of_text_and_formulas_in_order():
    tokens = passage_tokens(passage(f"<p>Let {X}, and</p><p>({ANNOTATED}).</p>"))
    assert tokens == "t:Let m:x m:2 t:, t:and t:( m:y t:) t:."


def test_words_of_two_blocks_are_two_tokens_and_of_inline_markup_one():
    assert passage_tokens(passage("<p>one</p><p>two</p>")) == "t:one t:two"
    assert passage_tokens(passage("<b>W</b>ord")) == "t:Word"


def test_white_space_inside_a_text_does_not_change_its_tokens():
    assert passage_tokens(passage("a  b\n c")) == passage_tokens(passage("a b c"))


def test_entities_of_an_external_dtd_are_part_of_words():
    assert passage_tokens(passage("na&iuml;ve &alpha;")) == "t:naïve t:α"


def test_running_text_leaves_out_formulas():
    text = running_text(passage(f"<p>Soit {X} un nombre</p><p>premier.</p>"))
    assert text.split() == ["Soit", "un", "nombre", "premier."]


def test_formulas_beyond_the_longest_passage_are_not_read():
    read = passage(f"{'word ' * 30}{X}{X} and the text goes on", longest=20)
    assert read.length == (35, 0)
    assert "goes on" in running_text(read)


def test_a_passage_at_the_limit_is_read_whole():
    assert passage(f"{'word ' * 18}{X}", longest=20).length.total == 20


def test_two_hundred_levels_are_read():
    assert readable(passage("<b>" * 200 + "deep" + "</b>" * 200)) == "deep"


def test_reading_leaves_the_document_as_it_is():
    root = parse_document(xhtml(f"<div>a {X} <p>b</p></div>"), "page.xhtml")
    before = etree.tostring(root)
    read_passage(root, 500)
    assert etree.tostring(root) == before


def test_nested_proofs_do_not_multiply_the_text_of_a_document():
    """Each level holds all that is inside it; of what is too long only the start is kept."""
    words = "word " * 2000
    inner = f"<p>{words}</p>"
    for _ in range(60):
        inner = f'<div class="theorem"><p>Claim</p></div><div class="proof">{inner}</div>'
    pairs = raw_pairs(xhtml(inner))
    assert len(pairs) == 60
    kept = sum(len(segment) for pair in pairs for segment in pair.proof.segments)
    assert kept < 60 * 3000
