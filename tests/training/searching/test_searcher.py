"""The searcher: its scores are those of the matcher, in all splits or in one."""

import numpy as np
import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.builder.release.schema import SPLITS
from proofmatch.training.prediction import load_matcher
from proofmatch.training.searching.query import read_query
from proofmatch.training.searching.searcher import ProofIndex, Searcher, proof_vectors, search
from proofmatch.training.vectors import SparseVectors, TextVectors, concatenated, scores_of

STATEMENTS = ["Let $p$ be a prime.", r"Every subgroup of $\mathbb{Z}$ is cyclic.", "Unheard-of xyzzy $\\Xi$"]


@pytest.mark.parametrize("kind", ["tiny_model", "lexical_model", "joint_model"])
def test_scores_are_those_of_the_matcher(request, release, kind):
    model, opened = load_matcher(request.getfixturevalue(kind)), open_release(release)
    proofs = concatenated([proof_vectors(model, opened, split) for split in SPLITS])
    index = ProofIndex(proofs)
    assert len(index) == len(proofs)
    for statement in STATEMENTS:
        vector = read_query(model, statement).vector
        assert np.allclose(index.scores(vector), scores_of(vector, proofs).block(0, 1)[0], atol=1e-5)


def test_a_score_worked_by_hand():
    dense = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=np.float32)
    sparse = SparseVectors(np.array([0, 2, 3]), np.array([7, -3, 7]), np.array([1, 2, 4], dtype=np.float32))
    statement = SparseVectors(np.array([0, 3]), np.array([-9, 7, 99]), np.array([5, 3, 5], dtype=np.float32))
    scores = ProofIndex(TextVectors(dense, sparse)).scores(TextVectors(dense[:1], statement))
    assert scores.tolist() == [1 + 3, 12]


def test_a_searcher_finds_what_a_single_search_finds(lexical_model, release):
    model, opened = load_matcher(lexical_model), open_release(release)
    searcher = Searcher(model, opened, SPLITS)
    for statement in STATEMENTS:
        assert searcher.search(statement, 4, why=True) == search(
            model, opened, statement, SPLITS, 4, why=True
        )


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
