"""The elements by which one finds one's way in an article, collected in one pass over the document."""

from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from .vocabulary import html_tags

_KINDS: dict[Any, str] = {
    tag: name
    for name, element in (("divs", "div"), ("metas", "meta"), ("titles", "title"), ("headlines", "h1"))
    for tag in html_tags(element)
}


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The telling elements of a document, each kind in document order."""

    divs: list[etree._Element] = field(default_factory=list)
    metas: list[etree._Element] = field(default_factory=list)
    titles: list[etree._Element] = field(default_factory=list)
    headlines: list[etree._Element] = field(default_factory=list)


def find_landmarks(root: etree._Element) -> Landmarks:
    """Collect the landmarks of a document."""
    landmarks = Landmarks()
    for element in root.iter(*_KINDS):
        getattr(landmarks, _KINDS[element.tag]).append(element)
    return landmarks
