"""Every planted fault is found and named, and nothing else is."""

import re

import pytest

from proofmatch.builder.checks import check_release

from . import faults_in_files, faults_in_rows  # noqa: F401 - they register their faults
from .faults import FAULTS, planted


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_is_found_and_named(release, tmp_path, name):
    fault = FAULTS[name]
    report = check_release(planted(release, tmp_path / "release", name).folder)
    faults = {
        outcome.check: [" ".join([found.message, *found.examples]) for found in outcome.faults]
        for outcome in report.outcomes
        if outcome.faults
    }
    assert set(faults) == set(fault.checks), faults
    assert any(re.search(fault.message, text) for text in faults[fault.checks[0]]), faults
