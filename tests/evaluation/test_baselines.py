"""The baselines are what their definitions say, whatever the sparse algebra that computes them."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.baselines import (
    baseline_scores,
    count_tokens,
    dice_scores,
    distinct_tokens,
    tfidf_scores,
)
from proofmatch.evaluation.task import load_task, load_tokens, select_input

TOKENS = st.sampled_from(["t:Let", "t:be", "t:a", "m:x", "m.bold:x", "m:+", "m::", "t:m"])
TEXTS = st.lists(st.lists(TOKENS, max_size=8), min_size=1, max_size=6)


def column(texts):
    return pa.array(texts, pa.list_(pa.string()))


def whole(source):
    return source.block(0, source.shape[0])


@given(TEXTS, TEXTS)
def test_dice_is_that_of_multisets(statements, proofs):
    expected = np.zeros((len(statements), len(proofs)))
    for i, statement in enumerate(statements):
        for j, proof in enumerate(proofs):
            size = len(statement) + len(proof)
            common = sum((Counter(statement) & Counter(proof)).values())
            expected[i, j] = 2 * common / size if size else 0.0
    assert np.allclose(whole(dice_scores(column(statements), column(proofs))), expected, atol=1e-6)


@given(TEXTS, TEXTS, TEXTS)
def test_tfidf_is_that_of_scikit_learn(training, statements, proofs):
    training = [*training, ["t:Let", "m:x"]]  # a vocabulary must not be empty
    vectorizer = TfidfVectorizer(analyzer=lambda text: text).fit([*training, *training])
    expected = cosine_similarity(vectorizer.transform(statements), vectorizer.transform(proofs))
    source = tfidf_scores([column(training), column(training)], column(statements), column(proofs))
    assert np.allclose(whole(source), expected, atol=1e-5)


@given(TEXTS)
def test_inputs_select_tokens_by_type_and_keep_their_order(texts):
    for reads, letter in (("text", "t"), ("math", "m")):
        expected = [[token for token in text if token[0] == letter] for text in texts]
        assert select_input(column(texts), reads).to_pylist() == expected
    assert select_input(column(texts), "both").to_pylist() == texts


def test_a_slice_of_a_column_is_read_as_such():
    texts = column([["t:a"], ["m:x", "t:b"], [], ["m:y"]])[1:]
    assert select_input(texts, "math").to_pylist() == [["m:x"], [], ["m:y"]]
    counts = count_tokens(texts, pa.array(["m:y", "m:x"]))
    assert counts.toarray().tolist() == [[0, 1], [0, 0], [1, 0]]
    assert distinct_tokens(texts).to_pylist() == ["m:x", "t:b", "m:y"]


def test_an_unknown_input_is_refused():
    with pytest.raises(ProofmatchError, match="both, text, math"):
        select_input(column([["t:a"]]), "pictures")


@pytest.mark.parametrize("name", ["tfidf", "dice"])
@pytest.mark.parametrize("by_article", [False, True])
def test_on_a_release_a_baseline_beats_chance_by_far(release, name, by_article):
    task = load_task(open_release(release), "test", by_article=by_article)
    scores = whole(baseline_scores(name, task, "both"))
    assert scores.shape == (len(task.statement_ids), len(task.proof_ids))
    own = scores[np.arange(len(scores)), task.gold]
    ranks = (scores >= own[:, None]).sum(axis=1)
    assert (1 / ranks).mean() > 0.4


def test_weights_come_from_the_training_split_alone(release):
    opened = open_release(release)
    task = load_task(opened, "test")
    training = [load_tokens(opened, side, "train") for side in ("statement", "proof")]
    source = tfidf_scores(
        training, load_tokens(opened, "statement", "test"), load_tokens(opened, "proof", "test")
    )
    assert np.array_equal(whole(source), whole(baseline_scores("tfidf", task)))
    assert source.left.shape[1] == len(distinct_tokens(*training))
