"""Element tree → statement–proof pairs, by the rule of the paper (Section "Dataset Construction").

Two consecutive `div` elements are a pair if the first one's class contains "theorem" and the second one
is a proof. The rule holds for every generation of LaTeXML markup:

| LaTeXML | statement | proof |
|---|---|---|
| 0.7.0 | `theorem` | `proof` |
| 2011, 2012 | `theorem ltx_thm` | `proof` |
| 0.8 | `ltx_theorem ltx_theorem_lemma` | `ltx_proof` |
"""

from collections.abc import Iterable

from lxml import etree

from ..records import RawPair
from .kinds import OTHER, kind_in_words, kind_of_class
from .passages import read_passage
from .titles import find_title, remove_title, title_text
from .vocabulary import DIV_TAGS

_DIVS = frozenset(DIV_TAGS)
_PROOF_CLASSES = frozenset({"proof", "ltx_proof"})


def find_pairs(divs: Iterable[etree._Element]) -> list[tuple[etree._Element, etree._Element]]:
    """Find the pairs among the `div` elements of a document; a pair inside a proof is a pair too."""
    pairs = []
    for div in divs:
        if "theorem" in div.get("class", ""):
            following = div.getnext()
            while isinstance(following, etree._Entity):
                following = following.getnext()
            if following is not None and following.tag in _DIVS and _is_proof(following):
                pairs.append((div, following))
    return pairs


def read_pair(
    statement: etree._Element, proof: etree._Element, *, keep_titles: bool, longest: int
) -> RawPair:
    """Read one pair of `div` elements.

    Args:
        statement: The statement.
        proof: Its proof.
        keep_titles: Whether "Lemma 2.1." and "Proof." stay part of the texts.
        longest: Length beyond which a passage will be dropped, see `read_passage`.

    Raises:
        ContentMathError: If a formula cannot be converted.
    """
    kind = kind_of_class(statement.get("class", "")) or _kind_of_title(statement) or OTHER
    if not keep_titles:
        for passage in (statement, proof):
            if (title := find_title(passage)) is not None:
                remove_title(title)
    return RawPair(kind, read_passage(statement, longest), read_passage(proof, longest))


def _is_proof(div: etree._Element) -> bool:
    return not _PROOF_CLASSES.isdisjoint(div.get("class", "").split())


def _kind_of_title(statement: etree._Element) -> str | None:
    title = find_title(statement)
    return None if title is None else kind_in_words(title_text(title))
