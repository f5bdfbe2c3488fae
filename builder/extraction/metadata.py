"""The id, title, categories and licence of an article, from the document or else from its path."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

from lxml import etree

from ..linearization.content import ContentMathError
from ..records import Article
from .document import Landmarks
from .passages import read_passage, readable

_LONGEST_TITLE = 200
_LONGEST_LICENSE = 200

# Prefixes under which Dublin Core terms occur in RDFa.
_DUBLIN_CORE = re.compile(r"(?:dct|dc|dcterms):(identifier|title|subject)")

_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs"
    "|dg-ga|econ|eess|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|mtrl-th|nlin|nucl-ex|nucl-th"
    "|patt-sol|physics|plasm-ph|q-alg|q-bio|q-fin|quant-ph|solv-int|stat|supr-con"
)
_CATEGORY = re.compile(rf"(?:{_ARCHIVES})(?:\.[A-Za-z][A-Za-z-]+)?")
_OLD_ID = re.compile(rf"(?P<archive>{_ARCHIVES})(?:\.[A-Z]{{2}})?[_/.]?(?P<number>\d{{7}})(?:v\d+)?")
_ID_PREFIX = re.compile(r"arxiv:|https?://(?:www\.)?arxiv\.org/(?:abs|pdf|html)/", re.IGNORECASE)
_NEW_ID = re.compile(r"(?P<month>\d{4})[._](?P<number>\d{4,5})(?:v\d+)?")
# The stamp arXiv puts on its own HTML: `arXiv:2401.00001v1 [math.AG] 31 Dec 2023`.
_STAMP = re.compile(rf"arXiv:(?P<id>\S+)\s+\[(?P<category>{_CATEGORY.pattern})\]")

_ID_META = ("citation_arxiv_id", "citation_id", "dc.identifier")
_TITLE_META = ("citation_title", "dc.title")
_CATEGORY_META = ("citation_arxiv_category", "citation_categories", "citation_subject", "citation_keywords")

# RDFa's `property` or HTML's `rel` of a licence, and the id of the one arXiv puts on its own HTML.
_LICENSE = re.compile(r"(?:(?:dct|dc|dcterms|cc):|http://purl\.org/dc/terms/)?license")
_WITH_LICENSE = etree.XPath("//@property/.. | //@rel/.. | //@id[. = 'license-tr']/..")

# File names that say nothing about the article, so that the folder's name is used.
_NONDESCRIPT = frozenset({"index", "main", "ms", "article", "paper", "manuscript", "document", "content"})


def read_metadata(landmarks: Landmarks, name: str) -> Article:
    """Read the metadata of an article; its path within the source is the last resort for the id."""
    meta: dict[str, list[str]] = defaultdict(list)
    rdfa: dict[str, list[str]] = defaultdict(list)
    stamp = None
    for element in landmarks.metas:
        meta[element.get("name", "").lower()].append(_one_line(element.get("content", "")))
    # arXMLiv's RDFa is on empty `div` elements, arXiv's stamp on one with an id.
    for element in (*landmarks.metas, *landmarks.divs):
        if match := _DUBLIN_CORE.fullmatch(element.get("property", "")):
            rdfa[match[1]].append(_one_line(element.get("content") or "".join(element.itertext())))
        elif element.get("id") == "watermark-tr":
            stamp = _STAMP.search(_one_line("".join(element.itertext())))
    ids, titles, categories = (
        [content for name in names for content in meta[name] if content]
        for names in (_ID_META, _TITLE_META, _CATEGORY_META)
    )
    ids = [*rdfa["identifier"], *ids, *([stamp["id"]] if stamp else [])]
    return Article(
        id=next(filter(None, map(canonical_id, ids)), None) or id_from_path(name),
        title=next(filter(None, [*rdfa["title"], *titles]), None) or _headline(landmarks),
        categories=_categories(rdfa["subject"])
        or _categories(categories)
        or _categories([stamp["category"]] if stamp else [])
        or _categories_from_path(name),
    )


def read_license(root: etree._Element) -> str | None:
    """Read the licence that a document states for itself, in its own words or as an address."""
    for element in _WITH_LICENSE(root):
        names = f"{element.get('property', '')} {element.get('rel', '')}".split()
        if element.get("id") == "license-tr":
            stated = "".join(element.itertext()).replace("License:", "")
        elif any(map(_LICENSE.fullmatch, names)):
            addresses = (element.get(name) for name in ("content", "resource", "href"))
            stated = next(filter(None, addresses), None) or "".join(element.itertext())
        else:
            continue
        if license := _one_line(stated)[:_LONGEST_LICENSE]:
            return license
    return None


def source_of(article_id: str, name: str, element_id: str = "") -> str:
    """Tell where a statement is: the document and the id of its element; an arXiv article by its address.

    >>> source_of("stacks.sets", "sets.xhtml", "Thmlemma1"), source_of("math/9902050", "math_9902050.xhtml")
    ('sets.xhtml#Thmlemma1', 'https://arxiv.org/abs/math/9902050')
    """
    is_arxiv = _NEW_ID.fullmatch(article_id) or _OLD_ID.fullmatch(article_id)
    document = f"https://arxiv.org/abs/{article_id}" if is_arxiv else name
    return f"{document}#{element_id}" if element_id else document


def canonical_id(identifier: str) -> str:
    """Write an arXiv id the way arXiv does, without version; leave other identifiers as they are.

    >>> canonical_id("arXiv:1001.1082v2"), canonical_id("math_9902050"), canonical_id("stacks.sets.s01")
    ('1001.1082', 'math/9902050', 'stacks.sets.s01')
    """
    bare = _ID_PREFIX.sub("", identifier.strip())
    if old := _OLD_ID.fullmatch(bare):
        return f"{old['archive']}/{old['number']}"
    if new := _NEW_ID.fullmatch(bare):
        return f"{new['month']}.{new['number']}"
    return "_".join(bare.split())


def is_arxiv_id(identifier: str) -> bool:
    """Tell whether this is an id of arXiv, in any of its spellings.

    >>> is_arxiv_id("0704.0001v2"), is_arxiv_id("math0512001"), is_arxiv_id("stacks.sets")
    (True, True, False)
    """
    return bool(_OLD_ID.fullmatch(identifier) or _NEW_ID.fullmatch(identifier))


def id_from_path(name: str) -> str:
    """Derive an article's id from its path: the arXiv id in it, or else the file's own name."""
    path = PurePosixPath(name)
    stem = path.stem
    if path.suffix.lower() in (".gz", ".tgz"):  # a LaTeX source
        stem = re.sub(r"^arxiv-|\.(?:tar|tex)$", "", stem, flags=re.IGNORECASE)
    if stem.lower() in _NONDESCRIPT and path.parent.name:
        stem = path.parent.name if path.parent.name != ".." else stem
    elif path.parent.name and re.fullmatch(r"\d{7}", stem):
        stem = f"{path.parent.name}_{stem}"  # …/math/9902050.xhtml
    return canonical_id(stem) or name


def _categories(values: Iterable[str]) -> tuple[str, ...]:
    phrases = (phrase.split() for value in values for phrase in re.split("[;,]", value))
    candidates = (word for words in phrases if all(map(_CATEGORY.fullmatch, words)) for word in words)
    # A dictionary instead of a set, because the first category is the primary one.
    return tuple(dict.fromkeys(candidates))


def _categories_from_path(name: str) -> tuple[str, ...]:
    """Take a folder named like a category, or the archive of an old-style id (`hep-th_9901001`)."""
    path = PurePosixPath(name)
    folders = [folder for folder in path.parts[:-1] if _CATEGORY.fullmatch(folder)]
    old = _OLD_ID.fullmatch(path.stem)
    return tuple(folders[-1:]) or ((old["archive"],) if old else ())


def _headline(landmarks: Landmarks) -> str:
    marked = [h1 for h1 in landmarks.headlines if "ltx_title_document" in h1.get("class", "").split()]
    for element in (*marked, *landmarks.titles, *landmarks.headlines):
        try:
            text = _one_line(readable(read_passage(element, _LONGEST_TITLE)))
        except ContentMathError:
            text = _one_line("".join(element.itertext()))
        # LaTeXML appends the titles of the enclosing parts to that of a page.
        if title := text.partition("‣")[0].strip():
            return title
    return ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
