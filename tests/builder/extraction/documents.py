"""Small documents for the tests, in each generation of LaTeXML's markup, and helpers to extract from them."""

from collections.abc import Sequence

from lxml import etree

from proofmatch.builder.extraction.document import find_landmarks, parse_document
from proofmatch.builder.extraction.metadata import read_metadata
from proofmatch.builder.extraction.pairs import find_pairs, read_pair
from proofmatch.builder.extraction.passages import readable
from proofmatch.builder.records import Article, RawPair

MATHML = "http://www.w3.org/1998/Math/MathML"
XHTML = "http://www.w3.org/1999/xhtml"
DTD = (
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1 plus MathML 2.0//EN" '
    '"http://www.w3.org/Math/DTD/mathml2/xhtml-math11-f.dtd">'
)


def xhtml(body: str, head: str = "", prologue: str = "") -> bytes:
    page = f"<head>{head}</head><body>{body}</body>"
    return f'{prologue}<html xmlns="{XHTML}" xmlns:m="{MATHML}">{page}</html>'.encode()


def html5(body: str, head: str = "") -> bytes:
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>".encode()


def _generation(statement: str, title: str, proof: str, proof_title: str, math: str) -> str:
    return f"""
<div class="{statement}" id="Thm1"><h6 class="{title}">Lemma 2.1 (Gauss).</h6>
<div class="para"><p>Let {math} be positive.</p></div></div>
<div class="{proof}"><h6 class="{proof_title}">Proof.</h6>
<div class="para"><p>Clear, since {math} is a square.</p></div></div>"""


_INNER = "<semantics><mi>x</mi><annotation encoding='application/x-tex'>x</annotation></semantics>"
_PREFIXED = f"<math>{_INNER}</math>".replace("<", "<m:").replace("<m:/", "</m:")
_NAMESPACED = f'<math xmlns="{MATHML}">{_INNER}</math>'

# Generation → (file name, document). All say the same.
GENERATIONS = {
    "0.7.0": (
        "article.xhtml",
        xhtml(_generation("theorem", "title", "proof", "title italic", _PREFIXED), prologue=DTD),
    ),
    "2011": (
        "article.xhtml",
        xhtml(
            _generation("theorem ltx_thm", "title theorem-title", "proof", "title", _PREFIXED), prologue=DTD
        ),
    ),
    "2012": (
        "article.xhtml",
        xhtml(_generation("theorem ltx_thm", "title theorem-title", "proof", "title", _NAMESPACED)),
    ),
    "0.8 XHTML": (
        "article.xhtml",
        xhtml(
            _generation(
                "ltx_theorem ltx_theorem_lemma",
                "ltx_title ltx_runin ltx_title_theorem",
                "ltx_proof",
                "ltx_title ltx_runin ltx_font_italic ltx_title_proof",
                _NAMESPACED,
            )
        ),
    ),
    "0.8 HTML5": (
        "article.html",
        html5(
            _generation(
                "ltx_theorem ltx_theorem_lemma",
                "ltx_title ltx_runin ltx_title_theorem",
                "ltx_proof",
                "ltx_title ltx_runin ltx_font_italic ltx_title_proof",
                f"<math>{_INNER}</math>",
            )
        ),
    ),
}


def found(data: bytes, name: str = "article.xhtml") -> Sequence[tuple[etree._Element, etree._Element]]:
    """The pairs of `div` elements in a document."""
    return find_pairs(find_landmarks(parse_document(data, name)).divs)


def raw_pairs(data: bytes, name: str = "article.xhtml", keep_titles: bool = True) -> list[RawPair]:
    return [read_pair(*pair, keep_titles=keep_titles, longest=500) for pair in found(data, name)]


def texts(data: bytes, name: str = "article.xhtml", keep_titles: bool = True) -> list[tuple[str, str]]:
    """The readable statements and proofs of a document."""
    pairs = raw_pairs(data, name, keep_titles)
    return [(readable(pair.statement), readable(pair.proof)) for pair in pairs]


def metadata(data: bytes, name: str = "article.xhtml") -> Article:
    return read_metadata(find_landmarks(parse_document(data, name)), name)
