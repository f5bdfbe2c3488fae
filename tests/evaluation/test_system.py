"""The sidecar: which one is used, and what is refused."""

import json

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.system import System, read_system

from .tasks import write_lines


def test_the_own_sidecar_comes_before_that_of_the_folder(tmp_path):
    path = write_lines(tmp_path / "x.jsonl", [])
    assert read_system(path) == System("x")
    (tmp_path / "system.json").write_text('{"name": "folder", "seconds": 3}')
    assert read_system(path) == System("folder", extra={"seconds": 3})
    (tmp_path / "x.system.json").write_text('{"input": "math"}')
    assert read_system(path) == System("x", "math")
    assert read_system(path, name="mine", input=None) == System("mine", "math")


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"name": 3}',
        '{"name": ""}',
        '{"name": "a\\nb"}',
        '{"input": "words"}',
        '{"url": "javascript:alert(1)"}',
        '{"seconds": NaN}',
    ],
)
def test_a_sidecar_that_is_not_as_it_should_be_is_refused_by_name(text, tmp_path):
    (tmp_path / "x.system.json").write_text(text)
    with pytest.raises(ProofmatchError, match=r"x[.]system[.]json"):
        read_system(tmp_path / "x.jsonl")


@pytest.mark.parametrize("field", ["name", "input", "url", "normalization", "transductive"])
def test_of_a_long_value_in_a_sidecar_only_the_beginning_is_shown(tmp_path, field):
    (tmp_path / "x.jsonl.system.json").write_text(json.dumps({field: "\n" + "h" * 5000}))
    with pytest.raises(ProofmatchError) as error:
        read_system(tmp_path / "x.jsonl")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300 + len(str(tmp_path))
