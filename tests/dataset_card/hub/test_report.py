"""Sizes for people."""

import pytest

from proofmatch.dataset_card.hub.report import in_units


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (999_999, "1.0 MB"),
        (2_500_000_000, "2.5 GB"),
        (10**13, "10.0 TB"),
    ],
)
def test_sizes_have_a_unit_that_fits(size, words):
    assert in_units(size) == words
