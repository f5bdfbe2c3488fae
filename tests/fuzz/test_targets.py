"""A few hundred inputs for every target: nothing crashes, hangs, or takes unbounded memory.

`make fuzz` tries many more and stores the outcomes in `results/`.
"""

import pytest

from tests.fuzz.targets import NAMES, target
from tests.fuzz.watching import fuzz

INPUTS = 300
SEED = 1  # not that of `make fuzz`


@pytest.mark.parametrize("name", NAMES)
def test_no_input_does_what_must_not_be(name):
    report = fuzz(name, INPUTS, SEED)
    assert report.findings == []
    assert report.inputs == INPUTS


# What once ended the process.
@pytest.mark.parametrize(("name", "number"), [("predictions", 3659)])
def test_inputs_that_did_no_longer_do(name, number):
    assert fuzz(name, 1, 0, number).findings == []


@pytest.mark.parametrize("name", NAMES)
def test_a_number_always_makes_the_same_input(name):
    chosen = target(name)
    assert [chosen.input(3, number) for number in range(20)] == [
        chosen.input(3, number) for number in range(20)
    ]
    assert chosen.input(3, 1) != chosen.input(4, 1)
