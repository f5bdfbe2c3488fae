"""A build finds exactly what was made up, and its statistics are near the paper's."""

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.checks import check_release
from proofmatch.builder.synthetic import SyntheticSettings, paper, synthesize, synthetic_documents

SETTINGS = SyntheticSettings(documents=3_000, kilobytes=12, seed=3)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic")
    synthesize(SETTINGS, folder / "articles.tar", workers=1)
    return build_release(folder / "articles.tar", folder / "release", workers=2)


@pytest.fixture(scope="module")
def statistics(built: Path) -> dict:
    return json.loads((built / "stats.json").read_text(encoding="utf-8"))


def test_a_build_keeps_exactly_the_pairs_that_were_made_to_be_kept(built, statistics):
    documents = list(synthetic_documents(SETTINGS))
    assert statistics["documents"]["read"] == len(documents)
    assert statistics["pairs"] == {
        "found": sum(len(document.pairs) for document in documents),
        "kept": sum(document.kept for document in documents),
    }
    pairs = [pq.read_table(path, columns=["article_id"]) for path in built.glob("data/pairs/*.parquet")]
    kept = Counter(name for table in pairs for name in table["article_id"].to_pylist())
    assert kept == Counter({document.article_id: document.kept for document in documents if document.kept})


def test_a_build_discards_exactly_what_was_made_to_be_discarded(built):
    expected = Counter()
    for document in synthetic_documents(SETTINGS):
        reasons = [document.reason] if document.reason else document.dropped
        expected.update((document.article_id, str(reason)) for reason in reasons)
    table = pq.read_table(built / "discarded.parquet")
    discarded = Counter(zip(table["article_id"].to_pylist(), table["reason"].to_pylist(), strict=True))
    assert discarded == expected
    assert len({reason for _, reason in expected}) >= 8


def test_the_release_is_without_fault(built):
    assert check_release(built).passed


def test_shares_are_near_the_papers(statistics):
    documents, pairs = statistics["documents"], statistics["pairs"]
    share = documents["with_pairs"] / documents["read"]
    assert share == pytest.approx(paper.DOCUMENTS_WITH_PAIRS / paper.DOCUMENTS, rel=0.25)
    per_article = pairs["kept"] / documents["with_pairs"]
    assert per_article == pytest.approx(paper.PAIRS / paper.DOCUMENTS_WITH_PAIRS, rel=0.2)
    categories = statistics["categories"]
    assert categories["mean_per_article"] == pytest.approx(paper.CATEGORIES_PER_ARTICLE, abs=0.2)
    most = [row["category"] for row in categories["by_primary"][:8]]
    assert len(set(most) & set(paper.CATEGORIES)) >= 6


@pytest.mark.parametrize("side", paper.LENGTHS)
def test_lengths_are_near_the_papers(side, statistics):
    for row, expected in paper.LENGTHS[side].items():
        found = statistics["lengths"][side][row]
        assert found["mean"] == pytest.approx(expected.mean, rel=0.1), row
        assert found["sd"] == pytest.approx(expected.sd, rel=0.2), row


def test_all_lengths_are_within_the_limits(statistics):
    for side in paper.LENGTHS:
        assert statistics["lengths"][side]["text+math"]["min"] >= 20
        assert statistics["lengths"][side]["text+math"]["max"] <= 500
