"""One synthetic article: planned with the paper's statistics, written in the markup of LaTeXML."""

from bisect import bisect
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from itertools import accumulate
from math import exp, sqrt
from random import Random

from proofmatch.builder.reasons import Reason
from proofmatch.builder.records import Length
from tests.synthetic import paper
from tests.synthetic.formulas import Formulas, draw_letters, draw_size
from tests.synthetic.words import LANGUAGES, Subject, draw_words, english, foreign

SHORTEST, LONGEST, VERY_LONG = 20, 500, 900  # the limits of the length filter, and the longest text
_STATEMENT_TITLE, _PROOF_TITLE = 3, 1  # words
_FOREIGN_WORDS = 40  # enough for any language detector
_APART = 0.3  # chance that an article without pairs has statements and proofs that are not consecutive
_KINDS = ("theorem", "lemma", "lemma", "lemma", "proposition", "proposition", "corollary", "theorem")
_OUTSIDE = (
    Reason.STATEMENT_TOO_SHORT,
    Reason.PROOF_TOO_SHORT,
    Reason.PROOF_TOO_SHORT,
    Reason.STATEMENT_TOO_LONG,
    Reason.PROOF_TOO_LONG,
    Reason.PROOF_TOO_LONG,
)
_PARAGRAPH = 14  # formulas after which a proof begins a new paragraph


@dataclass(frozen=True, slots=True)
class LengthModel:
    """Lengths fitted to the moments in the paper's second table.

    The logarithm of a length is normal, truncated at the limits of the length filter. So is the logit of the
    share of math, which grows with the length.
    """

    log_mean: float
    log_sd: float
    logit_mean: float
    logit_sd: float
    correlation: float

    def draw(self, random: Random, least_text: int, limits: tuple[int, int] | None = None) -> Length:
        """Draw a length that passes the filter, or one evenly between other limits."""
        score, total = 0.0, random.randint(*limits) if limits else 0
        while not limits and not SHORTEST <= total <= LONGEST:
            score = random.gauss(0.0, 1.0)
            total = round(exp(self.log_mean + self.log_sd * score))
        rest = sqrt(1 - self.correlation**2) * random.gauss(0.0, 1.0)
        logit = self.logit_mean + self.logit_sd * (self.correlation * score + rest)
        math = min(round(total / (1 + exp(-logit))), total - least_text)
        return Length(total - math, math)


_STATEMENT_LENGTHS = LengthModel(4.122, 0.683, 0.315, 0.972, 0.476)
_PROOF_LENGTHS = LengthModel(5.603, 1.062, 0.587, 1.106, 0.589)


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Lengths of a statement and a proof, and why a build will drop them, if it will."""

    statement: Length
    proof: Length
    reason: Reason | None = None


def plan_pairs(random: Random, number: int, outside: float = 0.0) -> tuple[PlannedPair, ...]:
    """Plan so many pairs that pass the length filter, and among them a share that does not."""
    pairs = []
    for _ in range(number):
        while random.random() < outside:
            reason = random.choice(_OUTSIDE)
            limits = (6, SHORTEST - 1) if reason.endswith("short") else (LONGEST + 1, VERY_LONG)
            is_statement = reason.startswith("statement")
            pairs.append(_plan_pair(random, limits, is_statement, reason))
        pairs.append(_plan_pair(random))
    return tuple(pairs)


def _plan_pair(
    random: Random,
    limits: tuple[int, int] | None = None,
    is_statement: bool = False,
    reason: Reason | None = None,
) -> PlannedPair:
    return PlannedPair(
        _STATEMENT_LENGTHS.draw(random, _STATEMENT_TITLE + 1, limits if is_statement else None),
        _PROOF_LENGTHS.draw(random, _PROOF_TITLE + 1, None if is_statement else limits),
        reason,
    )


def plan_foreign_pairs(random: Random, number: int) -> tuple[PlannedPair, ...]:
    """Plan pairs with enough text to recognise its language."""
    return tuple(
        replace(pair, proof=Length(max(pair.proof.text, _FOREIGN_WORDS), pair.proof.math))
        for pair in plan_pairs(random, number)
    )


_OTHER_MATH = "RT CA CV AT RA OC LO AC SP MG SG CT NA ST GN KT GM HO"
_PHYSICS = """
hep-th quant-ph gr-qc nlin.SI nlin.CD cond-mat.stat-mech nlin.PS cond-mat.dis-nn physics.flu-dyn nlin.CG
cond-mat.str-el physics.data-an physics.soc-ph nlin.AO hep-ph hep-lat cond-mat.soft physics.comp-ph nucl-th
physics.gen-ph physics.optics cond-mat.mes-hall astro-ph.CO physics.plasm-ph physics.bio-ph physics.class-ph
"""
_COMPUTING = "IT DM CC DS LO GT CR CG LG NI SC FL DC MA AI NA CV PL SY NE SI DB IR CL GR MS RO SE CE"
_OTHERS = """
stat.ME q-bio.PE stat.ML q-fin.PR q-fin.CP stat.AP q-bio.QM q-fin.RM q-fin.PM stat.CO q-bio.NC q-fin.ST
q-bio.MN q-fin.GN q-bio.BM q-fin.TR q-bio.GN q-bio.OT econ.TH eess.SP eess.SY econ.EM
"""
_OTHER_ARTICLES = 260  # neither mathematics nor physics nor computing
_MORE_CATEGORIES = (0.54, 0.17, 0.07)  # chances of a second, third and fourth


@cache
def _category_weights() -> tuple[list[str], list[float]]:
    """The paper's table names thirteen categories and its text the sums of groups; within those, 1/rank."""
    weights = {name: float(articles) for name, (articles, _) in paper.CATEGORIES.items()}
    mathematics = paper.DOCUMENTS_WITH_PAIRS - sum(weights.values())
    mathematics -= paper.PHYSICS + paper.COMPUTER_SCIENCE + _OTHER_ARTICLES
    for names, articles, offset in (
        ([f"math.{name}" for name in _OTHER_MATH.split()], mathematics, 14),
        (_PHYSICS.split(), paper.PHYSICS, 1),
        ([f"cs.{name}" for name in _COMPUTING.split()], paper.COMPUTER_SCIENCE, 1),
        (_OTHERS.split(), _OTHER_ARTICLES, 2),
    ):
        shares = [1 / (offset + rank) for rank in range(len(names))]
        weights |= {name: articles * share / sum(shares) for name, share in zip(names, shares, strict=True)}
    return list(weights), list(accumulate(weights.values()))


def draw_categories(random: Random) -> tuple[str, ...]:
    """Draw the categories of an article, the primary one first."""
    names, sums = _category_weights()
    draw = random.random()
    number = 1 + sum(draw < chance for chance in _MORE_CATEGORIES)
    return tuple(dict.fromkeys(names[bisect(sums, random.random() * sums[-1])] for _ in range(number)))


def draw_number_of_pairs(random: Random, primary: str) -> int:
    """Draw from a geometric distribution with the mean of the category."""
    articles, pairs = paper.CATEGORIES.get(primary, (paper.DOCUMENTS_WITH_PAIRS, paper.PAIRS))
    number = 1
    while random.random() < 1 - articles / pairs:
        number += 1
    return number


@dataclass(frozen=True, slots=True)
class Markup:
    """One generation of LaTeXML's markup.

    Attributes:
        share: Of the documents.
        suffix: Of file names.
        prefix: Of MathML's elements.
        class_prefix: Of class names.
        theorem: Classes of statements; `{}` is their kind.
        theorem_title: Classes of their titles.
        proof_title: Classes of the titles of proofs.
        has_content: Whether formulas have content MathML beside presentation.
        styles_letters: Whether fonts are characters instead of attributes.
    """

    share: float
    suffix: str = ".xhtml"
    prefix: str = "m:"
    class_prefix: str = ""
    theorem: str = "theorem"
    theorem_title: str = "title"
    proof_title: str = "title italic"
    has_content: bool = False
    styles_letters: bool = False

    @property
    def is_html(self) -> bool:
        """Whether it is HTML5, not XML."""
        return self.suffix == ".html"

    @property
    def formulas(self) -> Formulas:
        """Writes formulas in this markup."""
        return _formulas(self)

    def paragraph(self, text: str) -> str:
        """Write a paragraph."""
        c = self.class_prefix
        return f'<div class="{c}para">\n<p class="{c}p">{text}</p>\n</div>\n'

    def statement(self, kind: str, title: str, text: str) -> str:
        """Write a statement; the full stop of its title is a word of its own."""
        c = self.class_prefix
        return (
            f'<div class="{self.theorem.format(kind)}">\n<h6 class="{self.theorem_title}">'
            f'<span class="{c}tag">{title}</span><span class="{c}text">.</span></h6>\n'
            f"{self.paragraph(text)}</div>\n"
        )

    def proof(self, title: str, text: str) -> str:
        """Write a proof."""
        head = f'<h6 class="{self.proof_title}">{title}</h6>'
        return f'<div class="{self.class_prefix}proof">\n{head}\n{self.paragraph(text)}</div>\n'

    def filler(self, random: Random, size: int) -> str:
        """Choose paragraphs of about so many characters from a fixed supply."""
        supply = _paragraphs(self)
        chosen = []
        while size > 0:
            chosen.append(random.choice(supply))
            size -= len(chosen[-1])
        return "".join(chosen)

    def document(self, identifier: str, title: str, categories: tuple[str, ...], body: str) -> str:
        """Write a whole document with its metadata: RDFa in XHTML, tags in HTML5."""
        head = f"<head>\n<title>{escape(title)}</title>\n"
        if self.is_html:
            return (
                f'<!DOCTYPE html><html lang="en">\n{head}<meta charset="UTF-8">\n'
                f'<meta name="citation_title" content="{escape(title)}">\n'
                f'<meta name="citation_arxiv_id" content="{identifier}">\n</head>\n<body>\n'
                f'<div id="watermark-tr">arXiv:{identifier}v1 [{categories[0]}] 1 Jan 2024</div>\n'
                f"{body}</body>\n</html>\n"
            )
        properties = [("identifier", identifier), ("title", escape(title))]
        properties += [("subject", category) for category in categories]
        rdfa = "".join(f'<div class="RDFa" property="dct:{k}" content="{v}"/>\n' for k, v in properties)
        mathml = ' xmlns:m="http://www.w3.org/1998/Math/MathML"' if self.prefix else ""
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n'
            f'<html xmlns:dct="http://purl.org/dc/terms/"{mathml} xmlns="http://www.w3.org/1999/xhtml" '
            f'lang="en">\n{head}</head>\n<body>\n{rdfa}{body}</body>\n</html>\n'
        )


@cache
def _formulas(markup: Markup) -> Formulas:
    return Formulas(
        markup.prefix,
        has_content=markup.has_content,
        styles_letters=markup.styles_letters,
        has_namespace=not (markup.prefix or markup.is_html),
    )


@cache
def _paragraphs(markup: Markup) -> list[str]:
    """Write the paragraphs that are neither statements nor proofs; all documents choose among them."""
    random = Random("paragraphs")  # noqa: S311 - not for cryptography
    found = []
    for _ in range(1200):
        letters = draw_letters(random, 6)
        subject = Subject(draw_words(random, 3, 2), draw_words(random, 9, 5), letters)
        words = english(random, random.randint(12, 60), subject)
        found.append(
            markup.paragraph(_passage(random, words, random.randint(8, 60), markup.formulas, letters))
        )
    return found


_OLD = Markup(0.40)
_OF_2011 = replace(_OLD, share=0.20, theorem="theorem ltx_thm", theorem_title="title theorem-title")
_NEW = replace(
    _OF_2011,
    share=0.10,
    prefix="",
    class_prefix="ltx_",
    theorem="ltx_theorem ltx_theorem_{}",
    theorem_title="ltx_title ltx_runin ltx_title_theorem",
    proof_title="ltx_title ltx_runin ltx_font_italic ltx_title_proof",
    styles_letters=True,
)

# MREC was made by LaTeXML 0.7, so most documents are like that.
MARKUPS = {
    "latexml-0.7": _OLD,
    "latexml-2011": _OF_2011,
    "latexml-2012": replace(_OF_2011, prefix="", styles_letters=True),
    "latexml-0.8": _NEW,
    "parallel": replace(_NEW, share=0.05, has_content=True),
    "html5": replace(_NEW, share=0.05, has_content=True, suffix=".html"),
}


@dataclass(frozen=True, slots=True)
class PlannedArticle:
    """An article to be written; `language` is a key of `LANGUAGES` or "en", `size` in characters."""

    identifier: str
    categories: tuple[str, ...]
    markup: Markup
    language: str
    pairs: tuple[PlannedPair, ...]
    size: int


def write_article(random: Random, plan: PlannedArticle) -> str:
    """Write an article."""
    words = draw_words(random, 24, 12)
    pairs, between = plan.pairs, ""
    if not pairs and random.random() < _APART:
        pairs = plan_pairs(random, random.randint(1, 3))
        between = plan.markup.paragraph("This is proved below, after some remarks.")
    written = [
        _write_pair(random, plan, pair, f"2.{number}", between, words) for number, pair in enumerate(pairs, 1)
    ]
    filler = plan.markup.filler(random, plan.size - sum(map(len, written)))
    title = " ".join((random.choice(words["a"]), random.choice(words["n"]), "of", "a", words["n"][0]))
    body = f"<h1>{escape(title.capitalize())}</h1>\n{''.join(written)}{filler}"
    return plan.markup.document(plan.identifier, title.capitalize(), plan.categories, body)


def _write_pair(
    random: Random,
    plan: PlannedArticle,
    pair: PlannedPair,
    label: str,
    between: str,
    article_words: dict[str, tuple[str, ...]],
) -> str:
    letters = draw_letters(random, 7)
    subject = Subject(draw_words(random, 5, 3), article_words, letters)
    kind = random.choice(_KINDS)
    name, proof_title = LANGUAGES.get(plan.language, (kind.capitalize(), "Proof."))[:2]

    def words(count: int) -> list[str]:
        if plan.language in LANGUAGES:
            return foreign(random, count, plan.language)
        return english(random, count, subject)

    formulas, c = plan.markup.formulas, plan.markup.class_prefix
    statement = _passage(
        random, words(pair.statement.text - _STATEMENT_TITLE), pair.statement.math, formulas, letters
    )
    # A proof has letters of its own beside those of its statement, and several paragraphs.
    letters = letters + draw_letters(random, 4)
    paragraph = f'</p>\n</div>\n<div class="{c}para">\n<p class="{c}p">'
    proof = _passage(
        random, words(pair.proof.text - _PROOF_TITLE), pair.proof.math, formulas, letters, paragraph
    )
    return (
        plan.markup.statement(kind, f"{name} {label}", statement)
        + between
        + plan.markup.proof(proof_title, proof)
    )


def _passage(
    random: Random, words: list[str], math: int, formulas: Formulas, letters: list[int], paragraph: str = ""
) -> str:
    """Spread formulas with so many leaves in all among words."""
    sizes = []
    while math:
        sizes.append(min(draw_size(random), math))
        math -= sizes[-1]
    pieces, begin = [], 0
    for number, end in enumerate(sorted(random.randint(0, len(words)) for _ in sizes), 1):
        pieces += [*words[begin:end], formulas.write(random, sizes[number - 1], letters)]
        if number % _PARAGRAPH == 0:
            pieces.append(paragraph)
        begin = end
    return " ".join([*pieces, *words[begin:]])
