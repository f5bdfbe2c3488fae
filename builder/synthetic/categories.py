"""What articles are about: shares of primary categories, further categories, and how many pairs to expect."""

from bisect import bisect
from functools import cache
from itertools import accumulate
from random import Random

from . import paper

_MATH = "RT CA CV AT RA OC LO AC SP MG SG CT NA ST GN KT GM HO"
_PHYSICS = """
    hep-th quant-ph gr-qc nlin.SI nlin.CD cond-mat.stat-mech nlin.PS cond-mat.dis-nn physics.flu-dyn
    physics.class-ph cond-mat.mtrl-sci cond-mat.str-el physics.data-an physics.soc-ph nlin.AO nlin.CG
    hep-ph hep-lat cond-mat.soft cond-mat.quant-gas physics.comp-ph physics.gen-ph physics.optics
    cond-mat.mes-hall astro-ph.CO physics.plasm-ph physics.bio-ph nucl-th physics.geo-ph astro-ph.EP
"""
_COMPUTING = """
    IT DM CC DS LO GT CR CG LG NI SC FL DC MA AI NA CV PL SY NE SI DB IR CL GR MS RO SE CE HC
"""
_OTHERS = """
    stat.ME q-bio.PE stat.ML q-fin.PR q-fin.CP stat.AP q-bio.QM q-fin.RM q-fin.PM stat.CO q-bio.NC q-fin.ST
    q-bio.MN q-fin.GN q-bio.BM q-fin.TR q-bio.GN q-bio.OT q-bio.CB q-bio.SC q-bio.TO stat.OT q-fin.EC
    econ.TH eess.SP eess.SY econ.EM econ.GN eess.IV
"""

_OTHER_ARTICLES = 260  # neither mathematics nor physics nor computing

# Chances of a second, third and fourth category. They would make 1.78 an article; 1.7 are left, because some
# are drawn twice and HTML5 tells the primary one only.
_MORE = (0.54, 0.17, 0.07)


@cache
def category_weights() -> dict[str, float]:
    """Tell how many of the paper's articles have each primary category.

    The table names thirteen. Its text tells the sums for physics and computing; within a group, numbers
    decline with the rank.
    """
    named = {name: float(articles) for name, (articles, _) in paper.CATEGORIES.items()}
    rest = paper.DOCUMENTS_WITH_PAIRS - sum(named.values())
    mathematics = rest - paper.PHYSICS - paper.COMPUTER_SCIENCE - _OTHER_ARTICLES
    groups = (
        ([f"math.{name}" for name in _MATH.split()], mathematics, 14),
        (_PHYSICS.split(), paper.PHYSICS, 1),
        ([f"cs.{name}" for name in _COMPUTING.split()], paper.COMPUTER_SCIENCE, 1),
        (_OTHERS.split(), _OTHER_ARTICLES, 2),
    )
    for names, articles, offset in groups:
        shares = [1 / (offset + rank) for rank in range(len(names))]
        named |= {name: articles * share / sum(shares) for name, share in zip(names, shares, strict=True)}
    return named


def draw_categories(random: Random) -> tuple[str, ...]:
    """Draw the categories of an article, the primary one first."""
    categories = [_draw(random)]
    draw = random.random()
    for chance in _MORE:
        if draw >= chance:
            break
        categories.append(_draw(random))
    return tuple(dict.fromkeys(categories))


def draw_number_of_pairs(random: Random, primary: str) -> int:
    """Draw how many pairs an article has, one at least; the mean is that of its category."""
    articles, pairs = paper.CATEGORIES.get(primary) or _elsewhere()
    going_on = 1 - articles / pairs  # a geometric distribution: many have few, few have many
    number = 1
    while random.random() < going_on:
        number += 1
    return number


@cache
def _elsewhere() -> tuple[int, int]:
    articles, pairs = (sum(counts) for counts in zip(*paper.CATEGORIES.values(), strict=True))
    return paper.DOCUMENTS_WITH_PAIRS - articles, paper.PAIRS - pairs


@cache
def _cumulated() -> tuple[list[str], list[float]]:
    weights = category_weights()
    return list(weights), list(accumulate(weights.values()))


def _draw(random: Random) -> str:
    names, sums = _cumulated()
    return names[bisect(sums, random.random() * sums[-1])]
