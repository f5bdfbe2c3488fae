"""What is shown of somebody else's file: short, on one line, and nothing that a terminal would obey."""

import json

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.predictions.faults import one_line, quoted, shown
from proofmatch.evaluation.predictions.system import read_system


def test_what_a_library_says_becomes_a_line():
    assert one_line("Corrupt\n  footer: \x1b[2J") == r"Corrupt footer: \x1b[2J"
    assert one_line("naïve reader") == "naïve reader"
    assert len(one_line("x" * 10_000)) < 400


@pytest.mark.parametrize("show", [quoted, shown])
def test_a_long_name_is_cut(show):
    assert len(show("x" * 10_000)) < 100
    assert show("\x1b[2J").isprintable()


@pytest.mark.parametrize("field", ["name", "input", "url", "normalization", "transductive"])
def test_of_a_long_value_in_a_sidecar_only_the_beginning_is_shown(tmp_path, field):
    (tmp_path / "x.jsonl.system.json").write_text(json.dumps({field: "\n" + "h" * 5000}))
    with pytest.raises(ProofmatchError) as error:
        read_system(tmp_path / "x.jsonl")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300 + len(str(tmp_path))
