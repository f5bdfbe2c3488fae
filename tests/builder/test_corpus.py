"""Real corpora, where they are available: counts that were determined by hand and by other programs."""

import json

import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release

pytestmark = pytest.mark.corpus


def statistics(release) -> dict:
    return json.loads((release / "stats.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def stacks(corpus, tmp_path_factory):
    return build_release(corpus / "stacks.tar.xz", tmp_path_factory.mktemp("stacks") / "release", workers=2)


def test_stacks_has_the_known_number_of_pairs_before_and_after_the_length_filter(stacks):
    pairs = statistics(stacks)["pairs"]
    assert pairs["found"] == 13_079
    assert pairs["kept"] == pytest.approx(9_446, rel=0.01)


def test_every_statement_of_stacks_has_a_kind_a_title_and_a_category(stacks):
    for path in (stacks / "data" / "pairs").iterdir():
        table = pq.read_table(path, columns=["kind", "title", "primary_category"])
        assert set(table["kind"].to_pylist()) <= {"theorem", "lemma", "proposition", "corollary"}
        assert all(table["title"].to_pylist())
        assert all(table["primary_category"].to_pylist())


@pytest.mark.parametrize(
    ("name", "found", "kept", "margin"),
    [("html5", 123, 94, 2), ("latexml", 1_163, 825, 8)],
)
def test_output_of_latexml_has_the_known_number_of_pairs(corpus, tmp_path, name, found, kept, margin):
    pairs = statistics(build_release(corpus / f"{name}.tar.xz", tmp_path / "release", workers=2))["pairs"]
    assert pairs["found"] == found
    assert abs(pairs["kept"] - kept) <= margin
