"""Reasons of a lexical score: they add up to it, and their spans are right."""

import itertools

import numpy as np
import pytest

from proofmatch.training.lexical.explanation import explain_by_features
from proofmatch.training.lexical.features import look_up, occurrences
from tests.training.lexical.corpora import column, random_texts, small_matcher
from tests.training.lexical.test_lexical_matcher import kinds

TEXTS = list(zip(random_texts(2, 6), random_texts(3, 6), strict=True))


def score(matcher, corpus, statement, proof):
    texts = (corpus.look_up([text], matcher.config)[0] for text in (statement, proof))
    return matcher(*([text] for text in texts)).item()


def of_kind(explained, kind):
    return [reason for reason in explained.reasons if reason.kind == kind]


@kinds
def test_all_reasons_add_up_to_the_parts_and_these_to_the_score(settings):
    matcher, corpus = small_matcher(**settings)
    for statement, proof in TEXTS:
        explained = explain_by_features(matcher, statement, proof)
        assert explained.shared + explained.associated == pytest.approx(
            score(matcher, corpus, statement, proof), abs=1e-4
        )
        for kind in ("shared", "associated"):
            added = sum(reason.contribution for reason in of_kind(explained, kind))
            assert added == pytest.approx(getattr(explained, kind), abs=1e-9)


def test_a_part_that_the_matcher_does_not_have_has_no_reasons():
    statement, proof = TEXTS[0]
    without_rank = explain_by_features(small_matcher(rank=0)[0], statement, proof)
    without_sparse = explain_by_features(small_matcher(has_sparse_part=False)[0], statement, proof)
    assert {reason.kind for reason in without_rank.reasons} == {"shared"}
    assert {reason.kind for reason in without_sparse.reasons} == {"associated"}


@kinds
def test_features_are_where_their_spans_say(settings):
    matcher, _ = small_matcher(**settings)
    config = matcher.config
    for texts in TEXTS:
        found = []
        for text in texts:
            spans = set()
            for group, one in occurrences(column([text]), config.groups, config.input).items():
                spans |= {(group, begin, end) for begin, end in zip(one.begins, one.ends, strict=True)}
            found.append(spans)
        for reason in explain_by_features(matcher, *texts).reasons:
            for feature, spans in zip((reason.statement, reason.proof), found, strict=True):
                assert feature.spans
                assert {(feature.group, *span) for span in feature.spans} <= spans


def test_shared_features_are_in_both_texts_and_listed_once():
    matcher, _ = small_matcher()
    statement, proof = ["t:Let", "m:x", "m:+", "m:y", "t:groups"], ["m:x", "m:+", "t:group", "t:quiver"]
    shared = of_kind(explain_by_features(matcher, statement, proof), "shared")
    assert {
        (reason.statement.group, reason.statement.surface, reason.proof.surface) for reason in shared
    } == {
        ("math-1", "x", "x"),
        ("math-1", "+", "+"),
        ("math-2", "x +", "x +"),
        ("stem", "groups", "group"),
    }
    assert len(shared) == 4
    by_surface = {reason.statement.surface: reason for reason in shared}
    assert (by_surface["x +"].statement.spans, by_surface["x +"].proof.spans) == ([(1, 3)], [(0, 2)])


def test_shared_unknown_features_contribute():
    matcher, _ = small_matcher()
    explained = explain_by_features(matcher, ["t:Let", "t:amoeba"], ["t:amoebas"])
    assert [reason.statement.surface for reason in explained.reasons] == ["amoeba"]
    assert explained.reasons[0].contribution == explained.shared > 0


def test_associations_are_all_pairs_of_features_with_rows():
    matcher, corpus = small_matcher(table_groups=["stem", "math-1"])
    statement, proof = ["t:Let", "m:x", "t:groups", "t:amoeba"], ["m:y", "t:group", "t:group", "m:x"]
    pairs = {
        (reason.statement.surface, reason.proof.surface)
        for reason in of_kind(explain_by_features(matcher, statement, proof), "associated")
    }
    hashes = corpus.vocabulary.hashes[matcher.row_places.numpy() > 0]
    known = []
    for text in (statement, proof):
        found = occurrences(column([text]), ["stem", "math-1"])
        known.append(
            {
                look_up(text[begin]).surface
                for one in found.values()
                for feature, begin in zip(one.hashes.view(np.int64), one.begins, strict=True)
                if feature in hashes
            }
        )
    assert known == [{"let", "x", "groups"}, {"y", "group", "x"}]
    assert pairs == set(itertools.product(*known))


@kinds
@pytest.mark.parametrize("top", [0, 1, 5, 100_000])
def test_the_strongest_reasons_of_each_kind_come_first(settings, top):
    matcher, _ = small_matcher(**settings)
    for statement, proof in TEXTS:
        everything, some = (explain_by_features(matcher, statement, proof, most) for most in (None, top))
        values = [reason.contribution for reason in some.reasons]
        assert values == sorted(values, reverse=True)
        assert (some.shared, some.associated) == (everything.shared, everything.associated)
        for kind in ("shared", "associated"):
            expected = [reason.contribution for reason in of_kind(everything, kind)][:top]
            assert [reason.contribution for reason in of_kind(some, kind)] == pytest.approx(expected)


@kinds
def test_a_text_without_features_has_no_reasons(settings):
    matcher, _ = small_matcher(**settings)
    for texts in (([], ["m:x"]), (["t:Let"], []), ([], []), (["t:."], ["t:."])):
        explained = explain_by_features(matcher, *texts)
        assert (explained.shared, explained.associated, explained.reasons) == (0, 0, [])
