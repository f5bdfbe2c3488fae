"""The title of a statement or proof ("Lemma 2.1.", "Proof."): find it, read it, take it away."""

import re

from lxml import etree

from .kinds import kind_in_words
from .vocabulary import HEADING_TAGS, html_tags

_PARAGRAPHS = frozenset(html_tags("p"))
_EMPHASIS = frozenset(html_tags("strong", "b", "em", "i", "span"))
_TITLE_CLASSES = frozenset({"title", "ltx_title", "theorem-title", "ltx_title_theorem", "ltx_title_proof"})
_LONGEST_TITLE = 120
_PROOF = re.compile(r"\W*(?:proof|preuve|beweis)\b", re.IGNORECASE)
_AFTER_TITLE = ".:\u2002\u2003 \t\r\n"


def find_title(div: etree._Element) -> etree._Element | None:
    """Find the title: a heading, or emphasised words at the very start of the first paragraph."""
    for child in div:
        if child.tag in HEADING_TAGS or not _TITLE_CLASSES.isdisjoint((child.get("class") or "").split()):
            return child
        break
    emphasised = _first_emphasised(div)
    return emphasised if emphasised is not None and _reads_like_a_title(title_text(emphasised)) else None


def _first_emphasised(div: etree._Element) -> etree._Element | None:
    if (div.text or "").strip() or not len(div):
        return None
    paragraph = div[0]
    if paragraph.tag not in _PARAGRAPHS or (paragraph.text or "").strip() or not len(paragraph):
        return None
    return paragraph[0] if paragraph[0].tag in _EMPHASIS else None


def _reads_like_a_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and bool(_PROOF.match(text) or kind_in_words(text))


def title_text(title: etree._Element) -> str:
    """Read a title on one line."""
    return " ".join("".join(title.itertext()).split())


def remove_title(title: etree._Element) -> None:
    """Take a title out of its document, with the full stop after it but not the text that follows."""
    parent, tail = title.getparent(), (title.tail or "").lstrip(_AFTER_TITLE)
    if parent is None:
        return
    title.tail = None
    parent.remove(title)
    parent.text = (parent.text or "") + tail
