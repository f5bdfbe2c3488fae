"""Faults of result files: each is one short line with its place, however hostile the file."""

import copy
import json
from importlib.resources import files

import pytest

from proofmatch.evaluation import evaluate
from proofmatch.evaluation.result import result_faults
from proofmatch.evaluation.system import LONGEST_TEXTS, SYSTEM_FIELDS, System

from .test_evaluator import EXAMPLE


@pytest.fixture(scope="module")
def good(release):
    return evaluate(EXAMPLE, release).as_dict()


def changed(content, path, value):
    content = copy.deepcopy(content)
    target = content
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return content


def test_a_result_has_no_fault(good):
    assert result_faults(json.loads(json.dumps(good))) == []


@pytest.mark.parametrize("content", [None, [], "x", 3, {}, {"schema_version": 1}])
def test_what_is_no_result_at_all_has_faults(content):
    assert result_faults(content)


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("scores.mrr", 1.5, "scores.mrr: 1.5 "),
        ("scores.mrr", 10**4000, "scores.mrr: 1000"),
        ("scores.mrr", [0.5] * 100_000, "scores.mrr: [0.5"),
        ("scores.ci95.mrr", [0.1], "scores.ci95.mrr: [0.1]"),
        ("scores.ci95.mrr", [0.1, 2], "scores.ci95.mrr[1]: 2 "),
        ("scores.one_to_one", 1, "scores.one_to_one: 1 "),
        ("n_proofs", True, "n_proofs: True "),
        ("schema_version", 2, "schema_version: 1 was expected"),
        ("system.url", "javascript:alert(1)", "system.url: 'javascript:alert(1)'"),
        ("system.name", "two\nlines", "system.name: 'two\\nlines' must be a line"),
        ("system.normalization", {"method": "sinkhorn"}, "'transductive'"),
        ("dataset.split", "dev", "dataset.split: 'dev'"),
        ("assignment_counts.01", 1, "assignment_counts: '01'"),
        ("a\x1b]0;b", 1, "the file: "),
    ],
)
def test_a_fault_names_its_place_and_the_value(good, path, value, place):
    (fault,) = result_faults(changed(good, path.split("."), value))
    assert place in fault
    assert fault.isprintable()
    assert len(fault) < 400


def test_schema_and_sidecar_have_the_same_limits():
    schema = json.loads((files("proofmatch.evaluation") / "result.schema.json").read_text())
    fields = schema["properties"]["system"]["properties"]
    limits = {name: fields[name]["maxLength"] for name in LONGEST_TEXTS if name != "input"}
    assert limits.items() <= LONGEST_TEXTS.items()
    assert set(SYSTEM_FIELDS) == set(fields)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [(" fast ", "fast"), ("fa\u00a0 st", "fa st"), ("\uff46ast", "fast"), ("e\u0301", "\u00e9")],
)
def test_names_are_normalised(name, wanted):
    assert System(name).name == wanted
    assert System("x", submitter=name).submitter == wanted


def test_the_first_faults_of_many_are_listed(good):
    wrong = {f"math.{number}": "nothing" for number in range(50)}
    faults = result_faults(changed(good, ["by_category"], wrong))
    assert len(faults) == 21
    assert faults[-1] == "and more faults"
