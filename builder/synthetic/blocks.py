"""The parts of an article in the markup of its generation."""

from functools import cache
from html import escape
from random import Random

from .formulas import formulas_of
from .generations import Generation
from .passages import Subject, tell_english, write_passage
from .symbols import draw_symbols
from .vocabulary import draw_words

_PARAGRAPHS = 1200  # to choose from
_SECTION = 9  # paragraphs


def statement_block(generation: Generation, kind: str, name: str, label: str, text: str) -> str:
    """Write a statement; its title has three words, the full stop being one."""
    c = generation.class_prefix
    bold = f"{c}text {'ltx_font_bold' if c else 'bold'}"
    italic = f"{c}text {'ltx_font_italic' if c else 'italic'}"
    return (
        f'<div class="{generation.theorem.format(kind)}">\n<h6 class="{generation.theorem_title}">'
        f'<span class="{c}tag"><span class="{bold}">{name} {label}</span></span>'
        f'<span class="{bold}">.</span></h6>\n'
        f'<div class="{c}para">\n<p class="{c}p"><span class="{italic}">{text}</span></p>\n</div>\n</div>\n'
    )


def proof_block(generation: Generation, name: str, text: str) -> str:
    """Write a proof; its title has one word."""
    c = generation.class_prefix
    return (
        f'<div class="{c}proof">\n<h6 class="{generation.proof_title}">{name}</h6>\n'
        f'<div class="{c}para">\n<p class="{c}p">{text}</p>\n</div>\n</div>\n'
    )


def new_paragraph(generation: Generation) -> str:
    """Write what ends a paragraph of a proof and begins the next."""
    c = generation.class_prefix
    return f'</p>\n</div>\n<div class="{c}para">\n<p class="{c}p">'


def section(generation: Generation, number: int, title: str, inside: str) -> str:
    """Write a section."""
    c = generation.class_prefix
    element = "section" if generation.is_html else "div"
    return (
        f'<{element} id="S{number}" class="{c}section">\n<h2 class="{c}title">'
        f'<span class="{c}tag">{number} </span>{title}</h2>\n{inside}</{element}>\n'
    )


def document(
    generation: Generation, identifier: str, title: str, categories: tuple[str, ...], inside: str
) -> str:
    """Write a whole document with its metadata: RDFa in XHTML, tags in HTML5."""
    c = generation.class_prefix
    if generation.is_html:
        metas = f'<meta name="citation_title" content="{escape(title)}">\n'
        metas += f'<meta name="citation_arxiv_id" content="{identifier}">\n'
        told = f'<div id="watermark-tr">arXiv:{identifier}v1 [{categories[0]}] 1 Jan 2024</div>\n'
    else:
        metas = ""
        properties = [("identifier", identifier), ("title", escape(title))]
        properties += [("subject", category) for category in categories]
        told = "".join(f'<div class="RDFa" property="dct:{k}" content="{v}"/>\n' for k, v in properties)
    return (
        f"{generation.head(escape(title), metas)}{told}"
        f'<div class="{c}page_main">\n<div class="{c}document">\n'
        f'<h1 class="{c}title{" ltx_title_document" if c else ""}">{escape(title)}</h1>\n'
        f"{inside}</div>\n</div>\n</body>\n</html>\n"
    )


def filler(random: Random, generation: Generation, size: int) -> list[str]:
    """Choose paragraphs of about so many characters together, in portions for sections."""
    bank = _paragraphs(generation)
    portions = []
    while size > 0:
        portion = []
        while size > 0 and len(portion) < _SECTION:
            portion.append(bank[int(random.random() * len(bank))])
            size -= len(portion[-1])
        portions.append("".join(portion))
    return portions


@cache
def _paragraphs(generation: Generation) -> list[str]:
    """Write the paragraphs that are neither statements nor proofs; all documents choose among them."""
    random = Random("paragraphs")  # noqa: S311 - nothing to hide
    c = generation.class_prefix
    formulas = formulas_of(generation)
    found = []
    for _ in range(_PARAGRAPHS):
        subject = Subject(draw_words(random, 3, 2), draw_words(random, 9, 5), draw_symbols(random, 6))
        words = tell_english(random, random.randint(12, 60), subject)
        text = write_passage(random, random.randint(8, 60), words, formulas, subject.letters, "")
        found.append(f'<div class="{c}para">\n<p class="{c}p">{text}</p>\n</div>\n')
    return found
