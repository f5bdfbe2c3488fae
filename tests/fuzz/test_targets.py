"""Some hundred inputs of every target: nothing crashes, hangs, or takes memory without end.

`make fuzz` tries many more; `results.json` tells how many, and what came of them.
"""

import json
from pathlib import Path

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


def test_the_stored_results_are_of_all_targets_and_without_a_finding():
    stored = json.loads(Path(__file__).with_name("results.json").read_text(encoding="utf-8"))
    assert [one["target"] for one in stored["targets"]] == list(NAMES)
    assert sum(one["inputs"] for one in stored["targets"]) == stored["inputs"] >= 100_000
    assert [one["findings"] for one in stored["targets"]] == [[]] * len(NAMES)
    # Inputs that are all refused would say little.
    assert all(len(one["outcomes"]) > 1 for one in stored["targets"])
