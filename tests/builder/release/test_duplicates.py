"""Of an article that the sources contain more than once, one document is kept, always the same."""

import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from tests.builder.engine.test_determinism import content


@pytest.fixture
def versions(articles, tmp_path):
    """Two documents of one article, the second one statement shorter."""
    text = (articles / "sample.0001.xhtml").read_text(encoding="utf-8")
    start = text.index('<div id="S2.Thmtheorem1"')
    for name, version in (("v1", text), ("v2", text[:start] + text[start:].replace("prime", "odd prime"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.xhtml").write_text(version, encoding="utf-8")
    return [tmp_path / "v1", tmp_path / "v2"]


def rows(release, pattern):
    return [row for path in release.glob(pattern) for row in pq.read_table(path).to_pylist()]


def test_another_version_of_an_article_is_discarded_and_named(versions, tmp_path):
    release = build_release(versions, tmp_path / "release", workers=1)
    (discarded,) = [r for r in rows(release, "discarded.parquet") if r["reason"] == "duplicate-article"]
    assert discarded["article_id"] == "sample.0001"
    assert discarded["detail"].startswith("v2.xhtml")
    assert "the same article as v1.xhtml" in discarded["detail"]
    ids = [row["id"] for row in rows(release, "data/pairs/*.parquet")]
    assert len(ids) == len(set(ids)) > 0


def test_which_version_is_kept_does_not_depend_on_the_order_of_the_sources(versions, tmp_path):
    one = content(build_release(versions, tmp_path / "one", workers=1))
    other = content(build_release(versions[::-1], tmp_path / "other", workers=2))
    tables = [name for name in one if name.startswith("data/")]
    assert [one[name] for name in tables] == [other[name] for name in tables]
