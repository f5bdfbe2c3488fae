"""A build finds exactly what the synthetic corpus predicts, and its statistics are close to the paper's."""

import json
import tarfile
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.article import ArticleReader
from proofmatch.builder.checks import check_release
from proofmatch.builder.filters import load_detector
from proofmatch.builder.settings import BuildSettings
from tests.synthetic import paper
from tests.synthetic.articles import MARKUPS
from tests.synthetic.corpus import DAMAGES, MANIFEST, Settings, documents, make_document, write_corpus

SETTINGS = Settings(documents=3_000, kilobytes=12, seed=3)
SMALL = Settings(documents=200, kilobytes=5, with_pairs=1.0, foreign=0.0, damaged=0.0)


@pytest.fixture(scope="module")
def reader() -> ArticleReader:
    return ArticleReader(BuildSettings(), load_detector("cld2"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic")
    write_corpus(SETTINGS, folder / "articles.tar", workers=2)
    return build_release(folder / "articles.tar", folder / "release", workers=2)


@pytest.fixture(scope="module")
def statistics(built: Path) -> dict:
    return json.loads((built / "stats.json").read_text(encoding="utf-8"))


def test_a_build_keeps_and_discards_exactly_what_was_planned(built, statistics):
    made = list(documents(SETTINGS))
    assert statistics["pairs"] == {
        "found": sum(len(document.pairs) for document in made),
        "kept": sum(document.kept for document in made),
    }
    pairs = [pq.read_table(path, columns=["article_id"]) for path in built.glob("data/pairs/*.parquet")]
    kept = Counter(name for table in pairs for name in table["article_id"].to_pylist())
    assert kept == Counter({document.article_id: document.kept for document in made if document.kept})
    expected = Counter()
    for document in made:
        reasons = [document.reason] if document.reason else document.dropped
        expected.update((document.article_id, str(reason)) for reason in reasons)
    table = pq.read_table(built / "discarded.parquet")
    found = Counter(zip(table["article_id"].to_pylist(), table["reason"].to_pylist(), strict=True))
    assert found == expected
    assert len({reason for _, reason in expected}) >= 8
    assert check_release(built).passed


def test_shares_and_lengths_are_near_the_papers(statistics):
    read, pairs = statistics["documents"], statistics["pairs"]
    share = read["with_pairs"] / read["read"]
    assert share == pytest.approx(paper.DOCUMENTS_WITH_PAIRS / paper.DOCUMENTS, rel=0.25)
    per_article = pairs["kept"] / read["with_pairs"]
    assert per_article == pytest.approx(paper.PAIRS / paper.DOCUMENTS_WITH_PAIRS, rel=0.2)
    categories = statistics["categories"]
    assert categories["mean_per_article"] == pytest.approx(paper.CATEGORIES_PER_ARTICLE, abs=0.2)
    for side, rows in paper.LENGTHS.items():
        for row, expected in rows.items():
            found = statistics["lengths"][side][row]
            assert found["mean"] == pytest.approx(expected.mean, rel=0.1), (side, row)
            assert found["sd"] == pytest.approx(expected.sd, rel=0.2), (side, row)


@pytest.mark.parametrize("markup", MARKUPS)
def test_every_markup_has_the_planned_lengths_and_fonts(markup, reader):
    tokens = set()
    for document in islice(documents(replace(SMALL, markups=(markup,))), 20):
        read = reader.read(document.data, document.name)
        assert read.article.id == document.article_id
        assert [(*pair.statement_length, *pair.proof_length) for pair in read.pairs] == [
            (*pair.statement, *pair.proof) for pair in document.pairs if pair.reason is None
        ]
        assert Counter(discarded.reason for discarded in read.discarded) == Counter(document.dropped)
        tokens.update(token for pair in read.pairs for token in pair.proof_tokens.split())
    assert {"m:x", "m.bold:x", "m.double-struck:R", "m.script:A", "m.fraktur:p"} <= tokens


def test_every_damage_and_language_has_its_reason(reader):
    seen = set()
    settings = replace(SMALL, damaged=0.5, with_pairs=0.3, foreign=0.4)
    for document in documents(settings):
        found = {discarded.reason for discarded in reader.read(document.data, document.name).discarded}
        assert found == ({document.reason} if document.reason else set(document.dropped)), document.damage
        seen |= {document.damage, document.language}
    assert seen == {None, "en", "fr", "de", "ru", *DAMAGES}


def test_bytes_depend_on_the_settings_alone(tmp_path):
    settings = replace(SMALL, documents=150)
    first, second = (tmp_path / name for name in ("one.tar.bz2", "two.tar.bz2"))
    manifest = write_corpus(settings, first, workers=1)
    assert write_corpus(settings, second, workers=2) == manifest
    assert first.read_bytes() == second.read_bytes()
    assert make_document(settings, 7) == list(islice(documents(settings), 8))[7]
    assert make_document(settings, 7) != make_document(replace(settings, seed=1), 7)
    with tarfile.open(first) as archive:
        assert len({member.name for member in archive}) == settings.documents + 1
        assert json.load(archive.extractfile(MANIFEST)) == json.loads(json.dumps(manifest))
