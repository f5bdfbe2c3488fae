"""The figures of the paper's two tables, on MREC and the pairs found in it."""

from dataclasses import dataclass

DOCUMENTS = 439_423
DOCUMENTS_WITH_PAIRS = 27_841
PAIRS = 184_094
PRIMARY_CATEGORIES = 120
CATEGORIES_PER_ARTICLE = 1.7

# Articles of computer science and of physics other than math-ph among those with pairs.
COMPUTER_SCIENCE = 746
PHYSICS = 2562 - 1249

# Primary category → articles and pairs.
CATEGORIES: dict[str, tuple[int, int]] = {
    "math.AG": (2848, 22029),
    "math.DG": (2030, 12440),
    "math.CO": (1705, 10548),
    "math.GT": (1539, 9234),
    "math.NT": (1454, 9521),
    "math.PR": (1422, 7660),
    "math.AP": (1386, 6981),
    "math-ph": (1249, 6491),
    "math.FA": (1143, 8011),
    "math.GR": (970, 7806),
    "math.DS": (961, 6424),
    "math.QA": (944, 8074),
    "math.OA": (923, 8050),
}


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and standard deviation."""

    mean: float
    sd: float


# Tokens of statements and of proofs. The row "math only" of statements repeats that of their proportion in
# the paper, and is left out here.
LENGTHS: dict[str, dict[str, Moments]] = {
    "statements": {
        "text+math": Moments(80, 57),
        "text": Moments(30, 20),
        "math_proportion": Moments(0.58, 0.20),
    },
    "proofs": {
        "text+math": Moments(210, 127),
        "text": Moments(81, 56),
        "math": Moments(129, 96),
        "math_proportion": Moments(0.56, 0.21),
    },
}
