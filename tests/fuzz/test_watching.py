"""The watcher detects crashes, hangs and memory growth, names the input, and continues with the next one."""

import pytest

from tests.fuzz.trouble import CRASH, FINE, HANG, RAISE, SLEEP, SWELL
from tests.fuzz.watching import fuzz


def troubled(monkeypatch: pytest.MonkeyPatch, what: str, count: int):
    monkeypatch.setenv("TROUBLE", what)
    return fuzz("trouble", count, first=7)


def test_what_is_fine_is_no_finding(monkeypatch):
    report = troubled(monkeypatch, FINE, 40)
    assert (report.inputs, report.findings, dict(report.outcomes)) == (40, [], {FINE: 40})


def test_a_crash_is_a_finding_and_the_next_input_is_tried(monkeypatch):
    report = troubled(monkeypatch, CRASH, 2)
    assert [number for number, _ in report.findings] == [7, 8]
    assert "ended with -11" in report.findings[0][1]


def test_an_exception_is_a_finding(monkeypatch):
    report = troubled(monkeypatch, RAISE, 3)
    assert [number for number, _ in report.findings] == [7, 8, 9]
    assert "IndexError: 'of " in report.findings[0][1]


def test_a_hang_is_a_finding(monkeypatch):
    monkeypatch.setattr("tests.fuzz.watching._LOADING", 0.0)
    report = troubled(monkeypatch, HANG, 1)
    assert report.findings == [(7, "took more than 1 seconds")]


def test_a_process_that_never_wakes_up_is_a_finding(monkeypatch):
    monkeypatch.setattr("tests.fuzz.watching._LOADING", 0.0)
    monkeypatch.setattr("tests.fuzz.watching._PATIENCE", 2)
    report = troubled(monkeypatch, SLEEP, 1)
    assert report.findings == [(7, "slept for more than 2 seconds")]


def test_memory_that_grows_and_grows_is_a_finding(monkeypatch):
    report = troubled(monkeypatch, SWELL, 300)
    assert report.inputs == 300
    assert [what for _, what in report.findings if "memory grew by" in what]
