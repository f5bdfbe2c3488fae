"""Element tree → statement–proof pairs, by the rule of the paper (Section "Dataset Construction").

Two consecutive `div` elements are a pair if the first one's class contains "theorem" and the second one
is a proof. The rule holds for every generation of LaTeXML markup:

| LaTeXML | statement | proof |
|---|---|---|
| 0.7.0 | `theorem` | `proof` |
| 2011, 2012 | `theorem ltx_thm` | `proof` |
| 0.8 | `ltx_theorem ltx_theorem_lemma` | `ltx_proof` |
"""

import re
from collections.abc import Iterable

from lxml import etree

from ..records import RawPair
from .document import html_tags
from .passages import read_passage

_DIVS = frozenset(html_tags("div"))
_PROOF_CLASSES = frozenset({"proof", "ltx_proof"})

# Kind → its names, and the abbreviations authors give their environments (`thm`, `Prop`, `mainlem`).
_KINDS = {
    "theorem": ("theorem", "thm", "theo", "teo", "theor", "satz"),
    "lemma": ("lemma", "lem", "lemme", "sublemma"),
    "proposition": ("proposition", "prop", "propo", "propn", "prp"),
    "corollary": ("corollary", "cor", "coro", "corol", "crl"),
    "definition": ("definition", "defn", "defi", "def", "dfn"),
    "remark": ("remark", "rem", "rmk", "rk", "remarks"),
    "example": ("example", "ex", "exa", "exam", "exmp", "expl", "examples"),
    "claim": ("claim", "clm", "subclaim"),
    "conjecture": ("conjecture", "conj", "cnj"),
    "fact": ("fact", "facts"),
    "observation": ("observation", "obs"),
    "property": ("property", "properties"),
    "assumption": ("assumption", "hypothesis", "hyp", "assump"),
    "notation": ("notation", "notations"),
    "question": ("question", "quest"),
    "problem": ("problem", "prob", "pb"),
    "exercise": ("exercise", "exer", "exercises"),
    "situation": ("situation",),
    "axiom": ("axiom",),
    "construction": ("construction",),
    "criterion": ("criterion",),
    "algorithm": ("algorithm",),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}

OTHER = "other"

_KIND_CLASS = re.compile(r"(?:ltx_theorem_|theorem-|theorem_)(.+)")
_TITLE_WORD = re.compile(r"[^\W\d_]+")

# Titles: "Lemma 2.1.", "Proof."
_HEADINGS = frozenset(html_tags("h1", "h2", "h3", "h4", "h5", "h6"))
_PARAGRAPHS = frozenset(html_tags("p"))
_EMPHASIS = frozenset(html_tags("strong", "b", "em", "i", "span"))
_TITLE_CLASSES = frozenset({"title", "ltx_title", "theorem-title", "ltx_title_theorem", "ltx_title_proof"})
_LONGEST_TITLE = 120
_LONGEST_ID = 200
_PROOF_TITLE = re.compile(r"\W*(?:proof|preuve|beweis)\b", re.IGNORECASE)
_AFTER_TITLE = ".:\u2002\u2003 \t\r\n"

# The label of a statement: "Theorem 1.3". A proof that begins "Proof of Theorem 1.3." reveals its statement
# to anyone who compares labels.
_NUMBER = r"(?P<number>\d+(?:\.\d+)*|[A-Z](?:\.\d+)*)"
_WORD = r"(?P<word>[^\W\d_]{3,})"
_LABEL = re.compile(rf"\W*{_WORD}\.?[\s~]*{_NUMBER}(?!\w|\.\d)")
_NUMBER_FIRST = re.compile(rf"\W*{_NUMBER}\.?\s+{_WORD}")
_SHORTEST_WORD = 3
_GOES_ON = re.compile(r"\w|\.\d")

Label = tuple[str, str]


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
        longest: See `read_passage`, also for errors.
    """
    kind = kind_of_class(statement.get("class", "")) or _kind_of_title(statement) or OTHER
    if not keep_titles:
        for passage in (statement, proof):
            if (title := _find_title(passage)) is not None:
                _remove_title(title)
    element_id = "".join(statement.get("id", "").split())[:_LONGEST_ID]
    return RawPair(kind, read_passage(statement, longest), read_passage(proof, longest), element_id)


def _is_proof(div: etree._Element) -> bool:
    return not _PROOF_CLASSES.isdisjoint(div.get("class", "").split())


def _kind_of_title(statement: etree._Element) -> str | None:
    title = _find_title(statement)
    return None if title is None else kind_in_words(_title_text(title))


def kind_of_class(classes: str) -> str | None:
    """Read the kind from a class attribute of LaTeXML 0.8, if it has one.

    >>> kind_of_class("ltx_theorem ltx_theorem_prop"), kind_of_class("theorem ltx_thm")
    ('proposition', None)
    """
    for name in classes.split():
        match = _KIND_CLASS.fullmatch(name)
        if match and (kind := _KIND_OF.get(match[1].strip("*0123456789").lower())):
            return kind
    return None


def kind_in_words(title: str) -> str | None:
    """Find the first kind that a title mentions, if any.

    >>> kind_in_words("3.1 Lemma (Gauss).")
    'lemma'
    """
    return next((kind for word in _TITLE_WORD.findall(title) if (kind := _KIND_OF.get(word.lower()))), None)


def _find_title(div: etree._Element) -> etree._Element | None:
    """Find the title: a heading, or emphasised words at the start of the first paragraph."""
    for child in div:
        if child.tag in _HEADINGS or not _TITLE_CLASSES.isdisjoint((child.get("class") or "").split()):
            return child
        break
    emphasised = _first_emphasised(div)
    return emphasised if emphasised is not None and _is_title(_title_text(emphasised)) else None


def _first_emphasised(div: etree._Element) -> etree._Element | None:
    if (div.text or "").strip() or not len(div):
        return None
    paragraph = div[0]
    if paragraph.tag not in _PARAGRAPHS or (paragraph.text or "").strip() or not len(paragraph):
        return None
    return paragraph[0] if paragraph[0].tag in _EMPHASIS else None


def _is_title(text: str) -> bool:
    return len(text) <= _LONGEST_TITLE and bool(_PROOF_TITLE.match(text) or kind_in_words(text))


def _title_text(title: etree._Element) -> str:
    return " ".join("".join(title.itertext()).split())


def _remove_title(title: etree._Element) -> None:
    """Remove a title and the full stop after it from the document, but not the text that follows."""
    parent, tail = title.getparent(), (title.tail or "").lstrip(_AFTER_TITLE)
    if parent is None:
        return
    title.tail = None
    parent.remove(title)
    parent.text = (parent.text or "") + tail


def own_label(statement: str) -> Label | None:
    """Read the label at the start of a statement: its kind and its number.

    >>> own_label("Lemma 2.1 (Gauss). Let x"), own_label("3 Theorem. Let x"), own_label("Let x be 1")
    (('lemma', '2.1'), ('theorem', '3'), None)
    """
    match = _LABEL.match(statement) or _NUMBER_FIRST.match(statement)
    return _label(match) if match else None


def names_label(proof: str, label: Label) -> bool:
    """Tell whether a proof mentions a label.

    >>> [names_label(proof, ("theorem", "2.1")) for proof in ("Proof of Thm. 2.1.", "By Lemma 2.1")]
    [True, False]
    """
    kind, number = label
    place = proof.find(number)
    while place >= 0:
        after = place + len(number)
        if not _GOES_ON.match(proof, after) and kind_in_words(_word_before(proof, place)) == kind:
            return True
        place = proof.find(number, place + 1)
    return False


def _word_before(text: str, place: int) -> str:
    """Get the word before a number, between which may be a full stop and spaces; empty if there is none."""
    end = place
    while end and (text[end - 1].isspace() or text[end - 1] == "~"):
        end -= 1
    end -= text.endswith(".", 0, end)
    start = end
    while start and text[start - 1].isalnum() and not text[start - 1].isdecimal():
        start -= 1
    is_whole = not start or not (text[start - 1].isalnum() or text[start - 1] == "_")
    return text[start:end] if is_whole and end - start >= _SHORTEST_WORD else ""


def most_carriers(statements: int) -> int:
    """Tell how many statements of a split may have a label that still tells the candidates apart.

    A proof that names such a label is a leak. There may be ten: the right statement then is among the first
    ten of a ranking by the label alone. In a small split it may be a tenth: a label that more of the
    statements have says little about which one it is. A label that no other statement has always tells.

    >>> [most_carriers(statements) for statements in (1, 5, 50, 20_000)]
    [0, 1, 5, 10]
    """
    return min(10, max(1, statements // 10)) if statements > 1 else 0


def _label(match: re.Match[str]) -> Label | None:
    kind = kind_in_words(match["word"])
    return (kind, match["number"]) if kind else None
