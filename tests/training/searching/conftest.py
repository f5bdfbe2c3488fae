"""A release in which two articles have the same proofs."""

from pathlib import Path

import pytest

from proofmatch.builder import build_release


@pytest.fixture(scope="session")
def twin_release(articles: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles, and one of them again under another name with other words in its statements."""
    folder = tmp_path_factory.mktemp("twins")
    (folder / "articles").mkdir()
    for number in ("0006", "0012"):
        article = (articles / f"sample.{number}.html").read_text(encoding="utf-8")
        (folder / "articles" / f"sample.{number}.html").write_text(article, encoding="utf-8")
    again = article.replace("sample.0012", "sample.0912").replace(
        '<span class="ltx_text ltx_font_italic">', '<span class="ltx_text ltx_font_italic">Recall: '
    )
    (folder / "articles" / "sample.0912.html").write_text(again, encoding="utf-8")
    return build_release(folder / "articles", folder / "release", workers=1)
