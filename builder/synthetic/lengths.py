"""How long texts are, and how much of them is math: distributions fitted to the paper's second table.

The logarithm of a length is normal, cut off at the limits of the length filter. The logit of the share of
math is normal too, and longer texts have more math. The five numbers of a side are those whose moments come
nearest to the table's.
"""

from dataclasses import dataclass
from math import exp, sqrt
from random import Random

from ..records import Length

SHORTEST, LONGEST = 20, 500  # what the length filter keeps
VERY_LONG = 900


@dataclass(frozen=True, slots=True)
class LengthModel:
    """Lengths of one side.

    Attributes:
        log_mean: Mean of the logarithm of the length.
        log_sd: Its standard deviation.
        logit_mean: Mean of the logit of the proportion of math.
        logit_sd: Its standard deviation.
        correlation: Of the two.
    """

    log_mean: float
    log_sd: float
    logit_mean: float
    logit_sd: float
    correlation: float

    def draw(self, random: Random, least_text: int) -> Length:
        """Draw a length within the limits; the words of a title must have room in it."""
        while True:
            score = random.gauss(0.0, 1.0)
            total = round(exp(self.log_mean + self.log_sd * score))
            if SHORTEST <= total <= LONGEST:
                return self._divide(random, total, score, least_text)

    def draw_between(self, random: Random, low: int, high: int, least_text: int) -> Length:
        """Draw a length out of a range, evenly; the proportion of math is as usual."""
        return self._divide(random, random.randint(low, high), 0.0, least_text)

    def _divide(self, random: Random, total: int, score: float, least_text: int) -> Length:
        rest = sqrt(1 - self.correlation**2) * random.gauss(0.0, 1.0)
        logit = self.logit_mean + self.logit_sd * (self.correlation * score + rest)
        math = min(round(total / (1 + exp(-logit))), total - least_text)
        return Length(total - math, math)


STATEMENT = LengthModel(4.122, 0.683, 0.315, 0.972, 0.476)
PROOF = LengthModel(5.603, 1.062, 0.587, 1.106, 0.589)
