"""Content MathML → Presentation MathML, by our own XSLT 3.0 stylesheet."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from xml.parsers import expat

from proofmatch.errors import first_line

from .presentation import MATHML_NAMESPACE

MAX_DEPTH = 1000
"""How deeply elements may be nested. The templates recurse, and at about ten thousand levels the processor
exhausts the native stack, which kills the process; real formulas stay below a hundred."""

_STYLESHEET = Path(__file__).parent / "stylesheets" / "content_to_presentation.xsl"

# By default, the XML parser inside Saxon refuses more than 100 levels and names of 1000 characters; 0 means
# "no limit".
_PARSER_LIMITS = ("maxElementDepth", "maxXMLNameLimit")


class ContentMathError(ValueError):
    """A formula that cannot be converted."""


def to_presentation(math_xml: str) -> str:
    """Convert a serialized `<math>` element in MathML's namespace into presentation markup only.

    Presentation markup in it is kept, annotations are left out. The first call in a process starts the XSLT
    processor and compiles the stylesheet.

    Raises:
        ContentMathError: If the string is not such an element, has a document type declaration, is nested
            more than `MAX_DEPTH` levels deep, or fails to convert.

    Example:
        >>> to_presentation('<math xmlns="http://www.w3.org/1998/Math/MathML"><pi/></math>')
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>π</mi></math>'
    """
    if not isinstance(math_xml, str):
        raise TypeError(f"a formula is a str, not {type(math_xml).__name__}")
    _check(math_xml)
    # One per process, because a processor created before a fork does not work after it.
    return _converter(os.getpid())(math_xml)


def _check(math_xml: str) -> None:
    """Reject input that harms the processor: it would fetch a DTD, and deep nesting would kill it."""
    depth = 0

    def start(name: str, _attributes: dict[str, str]) -> None:
        nonlocal depth
        if depth == 0 and name != f"{MATHML_NAMESPACE} math":
            raise ContentMathError(f"expected a <math> element in MathML's namespace, got <{name}>")
        depth += 1
        if depth > MAX_DEPTH:
            raise ContentMathError(f"nested more than {MAX_DEPTH} elements deep")

    def end(_name: str) -> None:
        nonlocal depth
        depth -= 1

    def reject_doctype(*_declaration: object) -> None:
        raise ContentMathError("a formula must not have a document type declaration")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = reject_doctype
    try:
        parser.Parse(math_xml, True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise ContentMathError(f"not well-formed: {error}") from error


@cache
def _converter(_process: int) -> Callable[[str], str]:
    # Imported here because the library takes 90 MB and few documents need it.
    import saxonche

    processor = saxonche.PySaxonProcessor(license=False)
    for limit in _PARSER_LIMITS:
        name = f"http://saxon.sf.net/feature/parserProperty?uri=jdk.xml.{limit}"
        processor.set_configuration_property(name, "0")
    builder = processor.new_document_builder()
    stylesheet = processor.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(_STYLESHEET))

    def convert(math_xml: str) -> str:
        try:
            formula = builder.parse_xml(xml_text=math_xml, encoding="UTF-8")
            return stylesheet.transform_to_string(xdm_node=formula)
        except saxonche.PySaxonApiError as error:
            raise ContentMathError(f"cannot be converted: {first_line(error)}") from error

    return convert
