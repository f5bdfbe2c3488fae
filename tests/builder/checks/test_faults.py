"""Every planted fault is found and named, and nothing else is."""

import re

import pytest

from proofmatch.builder.checks import check_release

from . import (  # noqa: F401 - they register their faults
    faults_in_files,
    faults_in_rows,
    faults_in_variants,
    faults_of_description,
)
from .faults import FAULTS, planted


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_is_found_and_named(request, tmp_path, name):
    fault = FAULTS[name]
    original = request.getfixturevalue(fault.of)
    report = check_release(planted(original, tmp_path / "release", name).folder)
    faults = {
        outcome.check: [" ".join([found.message, *found.examples]) for found in outcome.faults]
        for outcome in report.outcomes
        if outcome.faults
    }
    assert set(faults) == set(fault.checks), faults
    assert any(re.search(fault.message, text) for text in faults[fault.checks[0]]), faults
