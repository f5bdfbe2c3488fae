"""The searcher: scores are those of the matcher, in all splits or in one; similar statements; equal texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.errors import ProofmatchError
from proofmatch.training.pairs import column_of
from proofmatch.training.prediction import load_matcher
from proofmatch.training.searching.index import VectorIndex, index_arrays
from proofmatch.training.searching.query import encode_statement
from proofmatch.training.searching.searcher import Searcher, best_of_groups, in_words, proof_vectors, verdict
from proofmatch.training.vectors import SparseVectors, TextVectors, scores_of

STATEMENTS = ["Let $p$ be a prime.", r"Every subgroup of $\mathbb{Z}$ is cyclic.", "Unheard-of xyzzy $\\Xi$"]


@pytest.mark.parametrize("kind", ["tiny_model", "lexical_model", "joint_model", "best_model"])
def test_scores_are_those_of_the_matcher(request, release, kind):
    given, opened = load_matcher(request.getfixturevalue(kind)), open_release(release)
    columns = [column_of(opened, "pairs", split, "proof_tokens") for split in SPLITS]
    model = given.for_candidates(lambda: columns)
    proofs = [proof_vectors(model, model.reader.read(*column)) for column in columns]
    indexes, _ = Searcher(given, opened, SPLITS).index("proofs")
    assert list(map(len, indexes)) == list(map(len, proofs))
    for statement in STATEMENTS:
        vector = model.matcher.vectors(encode_statement(model, statement), "statement")
        for index, some in zip(indexes, proofs, strict=True):
            assert np.allclose(index.scores(vector), scores_of(vector, some).block(0, 1)[0], atol=1e-5)


def test_a_score_worked_by_hand():
    dense = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    sparse = SparseVectors(np.array([0, 2, 3]), np.array([7, -3, 7]), np.array([1, 2, 4], dtype=np.float32))
    statement = SparseVectors(np.array([0, 3]), np.array([-9, 7, 99]), np.array([5, 3, 5], dtype=np.float32))
    index = VectorIndex(index_arrays(TextVectors(dense, sparse)))
    scores = index.scores(TextVectors(dense[:1], statement))
    assert scores.tolist() == [1 + 3, 12]


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 8)), min_size=1, max_size=60), st.integers(1, 12)
)
def test_the_best_are_those_of_a_full_sort(texts, k):
    scores, groups = np.array(texts, dtype=np.float32).T
    seen, expected = set(), []
    for number in sorted(range(len(texts)), key=lambda number: -scores[number]):  # stable
        if groups[number] not in seen:
            seen.add(groups[number])
            expected.append(number)
    assert best_of_groups(scores, groups, k).tolist() == expected[:k]


@pytest.mark.parametrize("kind", ["tiny_model", "lexical_model"])
def test_a_search_is_the_same_however_many_texts_are_indexed_together(request, release, kind, monkeypatch):
    model, opened = load_matcher(request.getfixturevalue(kind)), open_release(release)
    expected = [Searcher(model, opened, SPLITS).search(statement, 5) for statement in STATEMENTS]
    monkeypatch.setattr("proofmatch.training.searching.searcher._TEXTS_PER_PART", 7)
    for _ in range(2):  # the second time from the cache
        searcher = Searcher(model, opened, SPLITS)
        for statement, hits in zip(STATEMENTS, expected, strict=True):
            found = searcher.search(statement, 5)
            assert [hit.proof_id for hit in found] == [hit.proof_id for hit in hits]
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in hits], abs=1e-4)
    assert len(searcher.index("proofs")[0][0]) > 7


def test_a_matcher_finds_what_a_searcher_finds(lexical_model, release):
    model, opened = load_matcher(lexical_model), open_release(release)
    searcher = Searcher(model, opened, SPLITS)
    for statement in STATEMENTS:
        expected = searcher.search(statement, 4, why=True)
        assert model.search(statement, opened, k=4) == expected
        assert model.search(statement, str(release), k=4) == expected
    assert all(hit.reasons for hit in searcher.search(STATEMENTS[0], 4, why=True))
    assert len(model.search(STATEMENTS[0], release)) == 10
    (hit,) = model.search(STATEMENTS[0], release, k=1, split="test", why=False)
    assert hit.proof_id in opened.table("pairs", "test", ["proof_id"])["proof_id"].to_pylist()
    assert hit.reasons == []
    assert 0 < hit.confidence < 1
    assert hit.rank == 1


def test_unknown_commands_are_a_warning_in_python(lexical_model, release):
    model = load_matcher(lexical_model)
    with pytest.warns(UserWarning, match=r"not understood: \\PP"):
        model.search(r"Let $x \in \PP^n$.", release, k=1)
    model.search(r"Let $x \in \PP^n$.", release, k=1, macros=r"\newcommand{\PP}{\mathbb{P}}")


@pytest.mark.parametrize("kind", ["lexical_model", "joint_model", "best_model"])
def test_a_statement_is_most_similar_to_itself(request, release, kind):
    searcher = Searcher(load_matcher(request.getfixturevalue(kind)), open_release(release), SPLITS)
    rows = open_release(release).table("pairs", "test", ["statement", "proof"]).to_pylist()
    for row in rows[:20]:
        first, second = searcher.search(row["statement"], 2, among="statements")
        assert (first.statement, first.proof) == (row["statement"], row["proof"])
        assert first.score == pytest.approx(1, abs=0.2)  # tokens of typed TeX differ a little
        assert second.score < first.score <= 1 + 1e-5
        assert first.explanation is first.confidence is None


def test_a_model_without_features_does_not_compare_statements(tiny_model, release):
    with pytest.raises(ProofmatchError, match="preset fast or best"):
        load_matcher(tiny_model).search("Let $x$ be.", release, among="statements")


def test_wrong_arguments_are_one_sentence(tiny_model, release):
    model = load_matcher(tiny_model)
    for wrong, told in (
        ({"among": "articles"}, "among must be one of proofs, statements"),
        ({"k": 0}, "must be at least 1, not 0"),
        ({"split": "dev"}, "there is no split 'dev'"),
    ):
        with pytest.raises(ProofmatchError, match=told):
            model.search("Let $x$ be.", release, **wrong)


@pytest.mark.parametrize("among", ["proofs", "statements"])
def test_equal_texts_are_one_hit_that_lists_the_other_places(lexical_model, twin_release, among):
    searcher = Searcher(load_matcher(lexical_model), open_release(twin_release), SPLITS)
    hits = searcher.search(STATEMENTS[1], 1000, among=among)
    texts = [hit.proof if among == "proofs" else hit.statement for hit in hits]
    assert len(texts) == len(set(texts))
    assert sum(1 + len(hit.others) for hit in hits) == len(searcher)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    twins = [hit for hit in hits if hit.others]
    assert bool(twins) == (among == "proofs")
    for hit in twins:
        (other,) = hit.others
        assert {hit.article_id, other.article_id} == {"sample.0012", "sample.0912"}
        assert other.source != hit.source
        assert ("Recall" in other.statement) != ("Recall" in hit.statement)


def test_confidence_comes_from_the_matcher_and_does_not_depend_on_the_number_of_hits(
    lexical_model, release, monkeypatch
):
    model = load_matcher(lexical_model)
    searcher = Searcher(model, open_release(release), SPLITS)
    asked = []

    def confidences(_, scores):
        asked.append(scores)
        return 1 / (1 + np.arange(len(scores)))

    monkeypatch.setattr(type(model.matcher), "confidences", confidences, raising=False)
    for k in (1, 3):
        hits = searcher.search(STATEMENTS[0], k)
        assert [hit.confidence for hit in hits] == [1, 1 / 2, 1 / 3][:k]
        assert asked[-1].tolist() == asked[0].tolist() == sorted(asked[0], reverse=True)
        assert asked[-1][:k].tolist() == [np.float32(hit.score) for hit in hits]
    assert verdict(hits) == "the best proof is likely right (100%)"
    assert searcher.search(STATEMENTS[0], 1, among="statements")[0].confidence is None
    monkeypatch.setattr(type(model.matcher), "confidences", lambda *_: None)
    assert searcher.search(STATEMENTS[0], 1)[0].confidence is None
    assert verdict(searcher.search(STATEMENTS[0], 1)) is None


def test_confidence_in_words():
    assert [in_words(share) for share in (1.0, 0.5, 0.1)] == ["likely", "uncertain", "unlikely"]


def test_a_split_is_searched_as_if_it_were_alone(lexical_model, release):
    model, opened = load_matcher(lexical_model), open_release(release)
    searcher = Searcher(model, opened, SPLITS)
    for split in SPLITS:
        alone = Searcher(model, opened, [split])
        start, end = searcher.rows(split)
        assert end - start == len(alone)
        for statement in STATEMENTS:
            among = [hit.proof_id for hit in searcher.search(statement, 1000, split=split)]
            assert among == [hit.proof_id for hit in alone.search(statement, 1000)]
