"""Bytes of one article → element tree, parsed safely, and the elements with pairs and metadata.

A document can be hostile. Nothing in it makes the parser read a file or the network, expand an entity, or
nest deeper than its limit of 256 levels, on which all later recursion relies.
"""

import codecs
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lxml import etree

from ..linearization.presentation import XHTML_NAMESPACE
from ..reasons import DocumentError, Reason

_XML_NAMES = (".xhtml", ".xml")
_HEAD = 4096
_TAIL = 512
_MARKUP = re.compile(rb"[\s\0]*<")
_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def parse_document(data: bytes, name: str) -> etree._Element:
    """Parse an XHTML or HTML5 article; files called `.xhtml` and `.xml` have to be well-formed XML.

    Raises:
        DocumentError: If it is not a complete, well-formed, self-contained document.
    """
    start = _without_byte_order_mark(data[:_HEAD])
    if not start.strip() and not data[_HEAD:].strip():
        raise DocumentError(Reason.EMPTY)
    if not _MARKUP.match(start) or (b"\0" in start and not data.startswith(_BYTE_ORDER_MARKS[1:])):
        raise DocumentError(Reason.NOT_MARKUP, f"starts with {data[:16]!r}")
    if name.lower().endswith(_XML_NAMES) or start.lstrip().startswith(b"<?xml"):
        return _parse_xml(data)
    if XHTML_NAMESPACE.encode() in start:
        try:
            return _parse_xml(data)
        except DocumentError as error:
            # HTML can declare the namespace without being XML.
            if error.reason is not Reason.MALFORMED:
                raise
    return _parse_html(data)


def _without_byte_order_mark(start: bytes) -> bytes:
    for mark in _BYTE_ORDER_MARKS:
        start = start.removeprefix(mark)
    return start


def _parse_xml(data: bytes) -> etree._Element:
    try:
        root = etree.fromstring(data, _xml_parser())
    except etree.XMLSyntaxError as error:
        raise DocumentError(_xml_reason(error), str(error.msg)) from None
    except (LookupError, ValueError) as error:
        raise DocumentError(Reason.WRONG_ENCODING, str(error)) from None
    declarations = root.getroottree().docinfo.internalDTD
    if declarations is not None and any(True for _ in declarations.iterentities()):
        raise DocumentError(Reason.ENTITY_DECLARATION, "the document declares entities of its own")
    return root


def _xml_reason(error: etree.XMLSyntaxError) -> Reason:
    message = str(error.msg)
    if "Excessive depth" in message:
        return Reason.TOO_DEEP
    if "amplification" in message or "entity reference loop" in message:
        return Reason.ENTITY_DECLARATION
    return _REASONS.get(error.code, Reason.MALFORMED)


_REASONS: dict[int, Reason] = {
    etree.ErrorTypes.ERR_TAG_NOT_FINISHED: Reason.TRUNCATED,
    etree.ErrorTypes.ERR_RESOURCE_LIMIT: Reason.TOO_LARGE,
    etree.ErrorTypes.ERR_INVALID_ENCODING: Reason.WRONG_ENCODING,
    etree.ErrorTypes.ERR_UNSUPPORTED_ENCODING: Reason.WRONG_ENCODING,
    etree.ErrorTypes.ERR_UNKNOWN_ENCODING: Reason.WRONG_ENCODING,
    etree.ErrorTypes.ERR_ENCODING_NAME: Reason.WRONG_ENCODING,
}


def _parse_html(data: bytes) -> etree._Element:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(Reason.WRONG_ENCODING, f"not UTF-8 at byte {error.start}") from None
    # The HTML parser repairs any input, so an article cut off in the middle of a proof would pass.
    if b"</html" not in data[-_TAIL:].lower():
        raise DocumentError(Reason.TRUNCATED, "no </html> at the end")
    parser = _html_parser()
    root = etree.fromstring(text.encode(), parser)
    if root is None:
        raise DocumentError(Reason.MALFORMED, "no element")
    for error in parser.error_log:
        if error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            reason = Reason.TOO_DEEP if "depth" in error.message else Reason.TOO_LARGE
            raise DocumentError(reason, error.message)
    return root


# Comments and processing instructions are removed: they could separate a statement from its proof.
# Without `huge_tree`, libxml2 limits depth, size of texts and growth by entities.


@cache
def _xml_parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _html_parser() -> etree.HTMLParser:
    # A new one each time, because its error log tells whether it stopped at the depth limit.
    return etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )


def html_tags(*names: str) -> tuple[str, ...]:
    """Spell HTML element names as an XML parser (with namespace) and an HTML parser (without) report them."""
    return tuple(prefix + name for prefix in (f"{{{XHTML_NAMESPACE}}}", "") for name in names)


_LANDMARKS: dict[Any, str] = {
    tag: name
    for name, element in (("divs", "div"), ("metas", "meta"), ("titles", "title"), ("headlines", "h1"))
    for tag in html_tags(element)
}


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The elements in which pairs and metadata are found, each list in document order."""

    divs: list[etree._Element] = field(default_factory=list)
    metas: list[etree._Element] = field(default_factory=list)
    titles: list[etree._Element] = field(default_factory=list)
    headlines: list[etree._Element] = field(default_factory=list)


def find_landmarks(root: etree._Element) -> Landmarks:
    """Collect the landmarks of a document in one pass."""
    landmarks = Landmarks()
    for element in root.iter(*_LANDMARKS):
        getattr(landmarks, _LANDMARKS[element.tag]).append(element)
    return landmarks
