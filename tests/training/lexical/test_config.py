"""Sizes of the lexical matcher are checked before anything is counted."""

import pytest

from proofmatch.errors import ProofmatchError
from proofmatch.training.lexical.config import LexicalMatcherConfig
from proofmatch.training.lexical.features import GROUPS


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"rank": -1}, "rank must be a whole number from 0 on, not -1"),
        ({"rank": 2.5}, "rank must be a whole number from 0 on, not 2.5"),
        ({"min_frequency": 0}, "min_frequency must be a whole number from 1 on, not 0"),
        ({"min_weight_frequency": 0}, "min_weight_frequency must be a whole number from 1 on, not 0"),
        ({"max_rows": 0}, "max_rows must be a whole number from 1 on, not 0"),
        ({"n_background": -1}, "n_background must be a whole number from 0 on, not -1"),
        ({"n_nearest": 0}, "n_nearest must be a whole number from 1 on, not 0"),
        ({"groups": []}, "groups must have at least one of math-1, "),
        ({"groups": ["word", "words"]}, "there are no features 'words' for groups; there are math-1, "),
        ({"table_groups": ["stem-3"]}, "there are no features 'stem-3' for table_groups"),
        ({"hub_weight": -0.5}, "hub_weight must be at least 0, not -0.5"),
        ({"hub_weight": "x"}, "hub_weight must be at least 0, not 'x'"),
        ({"rank": 0, "has_sparse_part": False}, "there is nothing to score by"),
        ({"input": "words"}, "input must be one of both, text, math, not 'words'"),
    ],
)
def test_what_cannot_be_is_one_sentence(settings, told):
    with pytest.raises(ProofmatchError) as refused:
        LexicalMatcherConfig(**settings)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_tables_may_have_no_groups_or_some_that_are_not_there():
    assert LexicalMatcherConfig(table_groups=[]).table_groups == []
    assert LexicalMatcherConfig(groups=["word"]).table_groups != []


def test_by_default_all_groups_are_read():
    config = LexicalMatcherConfig()
    assert config.groups == list(GROUPS)
    assert set(config.table_groups) < set(GROUPS)


def test_it_comes_back_from_its_file(tmp_path):
    config = LexicalMatcherConfig(groups=["word", "math-2"], rank=0, hub_weight=0.25, num_texts=7)
    config.save_pretrained(tmp_path)
    again = LexicalMatcherConfig.from_pretrained(tmp_path)
    assert again.to_dict() == config.to_dict()


def test_features_of_another_version_are_refused():
    with pytest.raises(ProofmatchError, match="features are of version 99"):
        LexicalMatcherConfig(features_version=99)
