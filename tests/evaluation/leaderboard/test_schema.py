"""Our reading of the schema refuses what a full validator refuses, and nothing else."""

import copy
import json

import jsonschema
import pytest

from experiments.store import Store
from proofmatch.evaluation.leaderboard.schema import faults_of_result
from tests.conftest import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "evaluation/result.schema.json").read_text())
(GOOD, *_) = Store("stacks").results("transductive")
VALUES = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    1.5,
    "",
    "x",
    "https://x",
    "javascript:alert(1)",
    [],
    [0.1],
    [0.1, 0.2],
    {},
]
VALUES += [
    10**400,
    -(10**400),
    [0.1, 10**400],
    [0.1, 2],
    {"n": 1},
    {"method": "x", "rounds": 0},
    "both",
    "test",
    "0" * 64,
]


def places(content, path=()):
    for key, value in content.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from places(value, (*path, key))


def changed(path, change):
    content = copy.deepcopy(GOOD)
    target = content
    for key in path[:-1]:
        target = target[key]
    change(target, path[-1])
    return content


@pytest.mark.parametrize("path", list(places(GOOD)), ids=".".join)
def test_both_validators_agree_on_every_field(path):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    candidates = [changed(path, lambda target, key: target.pop(key))]
    candidates.append(changed(path, lambda target, key: target.update({"unknown": 1, key: target[key]})))
    for value in VALUES:
        candidates.append(changed(path, lambda target, key, value=value: target.update({key: value})))
    for candidate in candidates:
        assert bool(faults_of_result(candidate)) == (not validator.is_valid(candidate)), candidate


@pytest.mark.parametrize("content", [None, [], "x", 3, {}, {"schema_version": 1}])
def test_what_is_no_result_at_all_has_faults(content):
    assert faults_of_result(content)


def test_a_fault_names_its_place_and_the_value():
    wrong = changed(("scores", "mrr"), lambda target, key: target.update({key: 1.5}))
    assert faults_of_result(wrong) == ["scores.mrr must be at most 1, not 1.5"]
    wrong = GOOD | {"system": GOOD["system"] | {"url": "javascript:alert(1)"}}
    assert faults_of_result(wrong) == ['system.url must be like ^https?://, not "javascript:alert(1)"']
