"""The length filter: bounds are included, and each way to miss them has its reason."""

import pytest

from proofmatch.builder.filters.length import LengthFilter
from proofmatch.builder.reasons import Reason
from proofmatch.builder.records import Length

FILTER = LengthFilter(shortest=20, longest=500)
FITS = Length(100, 50)


@pytest.mark.parametrize(
    "length", [Length(20, 0), Length(0, 20), Length(12, 8), Length(500, 0), Length(1, 499)]
)
def test_both_ends_are_included_and_words_and_leaves_count_together(length):
    assert FILTER.reason_to_drop(length, FITS) is None
    assert FILTER.reason_to_drop(FITS, length) is None


@pytest.mark.parametrize(
    ("statement", "proof", "reason"),
    [
        (Length(19, 0), FITS, Reason.STATEMENT_TOO_SHORT),
        (Length(0, 0), FITS, Reason.STATEMENT_TOO_SHORT),
        (Length(300, 201), FITS, Reason.STATEMENT_TOO_LONG),
        (FITS, Length(10, 9), Reason.PROOF_TOO_SHORT),
        (FITS, Length(0, 501), Reason.PROOF_TOO_LONG),
    ],
)
def test_each_miss_has_its_reason(statement, proof, reason):
    verdict = FILTER.reason_to_drop(statement, proof)
    assert verdict is not None
    assert verdict[0] is reason


def test_the_detail_says_how_short_or_which_limit():
    assert FILTER.reason_to_drop(Length(5, 2), FITS) == (Reason.STATEMENT_TOO_SHORT, "statement has 7 tokens")
    too_long = FILTER.reason_to_drop(FITS, Length(600, 0))
    assert too_long == (Reason.PROOF_TOO_LONG, "proof has more than 500 tokens")


def test_a_statement_is_judged_before_its_proof():
    short, long = Length(1, 0), Length(501, 0)
    assert FILTER.reason_to_drop(short, short)[0] is Reason.STATEMENT_TOO_SHORT
    assert FILTER.reason_to_drop(long, long)[0] is Reason.STATEMENT_TOO_LONG


def test_bounds_of_zero_keep_what_is_empty():
    assert LengthFilter(0, 0).reason_to_drop(Length(0, 0), Length(0, 0)) is None
    assert LengthFilter(0, 0).reason_to_drop(Length(1, 0), Length(0, 0)) is not None
