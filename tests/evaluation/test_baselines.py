"""The baselines agree with their definitions, whatever the sparse algebra that computes them."""

import json
from collections import Counter
from itertools import groupby

import bm25s
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from proofmatch.builder import build_release
from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.baselines import (
    baseline_scores,
    bm25_scores,
    choose_ngrams,
    count_tokens,
    dice_scores,
    distinct_tokens,
    tfidf_scores,
    typed_ngrams,
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


def ngrams_of(text, longest, input="both"):
    """The n-grams of a text, by the definition."""
    kinds = {"both": "tm", "text": "t", "math": "m"}[input]
    runs = [list(run) for kind, run in groupby(text, lambda token: token[0]) if kind in kinds]
    return [
        " ".join(run[start : start + size])
        for run in runs
        for size in range(1, longest + 1)
        for start in range(len(run) - size + 1)
    ]


def test_ngrams_stay_within_text_or_math():
    (numbers,) = typed_ngrams([column([["t:Let", "m:x", "m:+", "m:x", "t:be", "t:a"]])], 2)
    assert len(numbers[0]) == 6 + 3  # the bigrams x+, +x and "be a"
    assert len(set(numbers[0].tolist())) == 5 + 3


@given(TEXTS, TEXTS, st.integers(1, 4), st.sampled_from(["both", "text", "math"]))
def test_equal_ngrams_have_equal_numbers(statements, proofs, longest, input):
    found = typed_ngrams([column(statements), column(proofs)], longest, input)
    number_of = {}
    for texts, numbered in zip((statements, proofs), found, strict=True):
        assert len(numbered) == len(texts)
        for text, numbers in zip(texts, numbered, strict=True):
            # Sorted by size, as the numbers are.
            expected = sorted(ngrams_of(text, longest, input), key=lambda ngram: ngram.count(" "))
            assert len(numbers) == len(expected)
            for ngram, number in zip(expected, numbers.tolist(), strict=True):
                assert number_of.setdefault(ngram, number) == number
    assert len(set(number_of.values())) == len(number_of)


@given(TEXTS, TEXTS, st.integers(1, 3), st.sampled_from(["both", "text", "math"]))
def test_bm25_is_that_of_bm25s(statements, proofs, longest, input):
    documents = [ngrams_of(text, longest, input) for text in proofs]
    expected = np.zeros((len(statements), len(proofs)))
    if any(documents):
        index = bm25s.BM25()
        index.index(documents, show_progress=False)
        for row, text in enumerate(statements):
            known = [ngram for ngram in ngrams_of(text, longest, input) if ngram in index.vocab_dict]
            if known:
                expected[row] = index.get_scores(known)
    source = bm25_scores(column(statements), column(proofs), longest, input)
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


@pytest.mark.parametrize("name", ["tfidf", "dice", "bm25"])
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


def run_bm25(release, out, *options):
    assert main(["baseline", "bm25", "--data", str(release), "--out", str(out), *options]) == 0
    return json.loads(out.with_name(f"{out.name}.system.json").read_text())["bm25"]


def test_bm25_chooses_ngrams_on_validation_and_says_so(release, tmp_path, capsys):
    chosen = run_bm25(release, tmp_path / "x.jsonl", "--input", "math")
    choice = choose_ngrams(open_release(release), "math")
    assert chosen["ngrams"] == choice.ngrams
    assert choice.validation_mrr[choice.ngrams] == max(choice.validation_mrr.values())
    assert chosen["validation_mrr"] == {
        str(size): pytest.approx(mrr, abs=1e-6) for size, mrr in choice.validation_mrr.items()
    }
    assert f"{100 * max(choice.validation_mrr.values()):.1f}" in capsys.readouterr().out
    given = run_bm25(release, tmp_path / "y.jsonl", "--input", "math", "--ngrams", str(choice.ngrams))
    assert given == {name: value for name, value in chosen.items() if name != "validation_mrr"}
    assert (tmp_path / "x.jsonl").read_bytes() == (tmp_path / "y.jsonl").read_bytes()


def test_without_a_validation_split_bm25_asks_for_the_size(articles, tmp_path, capsys):
    release = build_release(articles / "sample.0001.xhtml", tmp_path / "release", workers=1)
    command = ["baseline", "bm25", "--data", str(release), "--split", "train", "--out"]
    assert main([*command, str(tmp_path / "x.jsonl")]) == 2
    error = capsys.readouterr().err
    assert "validation" in error
    assert "--ngrams" in error
    run_bm25(release, tmp_path / "x.jsonl", "--split", "train", "--ngrams", "2", "--decode", "global")


def test_ngrams_are_refused_where_they_have_no_effect(release, tmp_path, capsys):
    out = tmp_path / "x.jsonl"
    assert main(["baseline", "dice", "--data", str(release), "--ngrams", "2", "--out", str(out)]) == 2
    assert "--ngrams" in capsys.readouterr().err
    assert not out.exists()
