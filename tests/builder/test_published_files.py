"""How published files are read: tolerant of placeholders, strict on anything else."""

import re

import pytest

from proofmatch.builder import published
from proofmatch.builder.published import import_published
from proofmatch.builder.published_files import read_articles
from proofmatch.errors import ProofmatchError

LINE = "_" * 12
HEAD = "1\n\nmath/0101001\tmath.AG|math.NT\tOn curves\n\n"
PAIR = (
    f"math/0101001|S1.Thm1\n{LINE}\ntext\tLemma 1.\ntext\tLet\nmath\tmath_x math_=____bold 𝐲\ntext\t. Then\n"
    f"{LINE}\ntext\tProof.\nmath\tR____double-struck ℝ\n\n"
)


def imported(folder, dev: str, out):
    folder.mkdir(exist_ok=True)
    for split, text in (("train", HEAD + PAIR), ("dev", dev), ("test", HEAD + PAIR)):
        (folder / f"mixed_conservation_{split}").write_bytes(text.encode("utf-8", "surrogateescape"))
    return import_published(folder, out, workers=1)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + PAIR,
        HEAD + PAIR.rstrip("\n"),
        "\ufeff" + HEAD + PAIR,
        (HEAD + PAIR).replace("\n", "\r\n"),
        "\n\n" + HEAD + "\n\n\n" + PAIR + "\n\n",
        "1\n\nplaceholder\n\n" + PAIR,
        "0\n\n\n" + PAIR,
        "articles\n\n-\n\n" + PAIR,
        HEAD.replace("1\n", "number\n", 1) + PAIR,
        HEAD + PAIR.replace("|S1.Thm1", ""),
        (HEAD + PAIR).replace("math/", "arXiv:math/"),
        HEAD + PAIR.replace("|S1.Thm1", "|None"),
    ],
    ids=range(12),
)
def test_variants_of_the_format_in_real_files_are_read(tmp_path, text):
    release = imported(tmp_path / "files", text, tmp_path / "release")
    rows = rows_of(release)
    assert [row["article_id"] for row in rows] == ["math/0101001"] * 3
    assert {row["statement"] for row in rows} == {"Lemma 1. Let x = y. Then"}
    assert {row["title"] for row in rows} == {"On curves"}
    assert rows[0]["categories"] == ["math.AG", "math.NT"]
    assert rows[0]["kind"] == "lemma"
    tokens = "t:Lemma t:1 t:. t:Let m:x m.bold:= m.bold:y t:. t:Then"
    assert {" ".join(row["statement_tokens"]) for row in rows} == {tokens}
    assert rows[0]["proof_tokens"] == ["t:Proof", "t:.", "m.double-struck:R", "m.double-struck:R"]
    assert len({row["id"] for row in rows}) == 3  # equal pairs, told apart


def rows_of(release):
    import pyarrow.parquet as pq

    return [row for path in sorted(release.glob("data/pairs/*")) for row in pq.read_table(path).to_pylist()]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", 1, "the number of articles"),
        ("1x\n\n" + PAIR, 1, "the number of articles"),
        ("9" * 5000 + "\n\n" + PAIR, 1, "the number of articles"),
        (PAIR, 1, "the number of articles"),
        (HEAD.replace("1\n", "2\n", 1) + PAIR, 3, "2 articles"),
        (HEAD.replace("\tOn curves", "") + PAIR, 3, "arxiv_id<TAB>category"),
        (
            HEAD.replace("1\n", "2\n", 1).rstrip() + "\nmath/0101001\t\tTwice\n\n" + PAIR,
            4,
            "not in the list already",
        ),
        (HEAD + PAIR.replace("math/0101001", "math/0101002"), 5, "an article of the list"),
        (HEAD + PAIR.replace("math/0101001", "math/ 0101001"), 5, "the id of an article"),
        (HEAD + PAIR.replace(LINE, "", 1), 6, "a line of underscores after the id"),
        (HEAD + PAIR.replace("math\tmath_x", "math math_x"), 9, "text<TAB>words or math<TAB>symbols"),
        (HEAD + PAIR.replace("text\tLet", "txet\tLet"), 8, "text<TAB>words or math<TAB>symbols"),
        (HEAD + PAIR.replace("text\tLet", "text\t"), 8, "text<TAB>words or math<TAB>symbols"),
        (HEAD + PAIR.replace("____bold", "____blod"), 9, "one of MathML's fonts"),
        (HEAD + PAIR.replace("math_=____bold", "____bold"), 9, "a symbol, ____"),
        (HEAD + PAIR[: PAIR.rindex(LINE)], 10, "a statement, a line of underscores and a proof"),
        (HEAD + PAIR[: PAIR.rindex(LINE) + 12], 12, "text<TAB>words"),
        (HEAD + PAIR.replace("text\tProof.", f"text\tProof.\n{LINE}"), 13, "a statement, a line of unders"),
        (HEAD + PAIR.replace("\ntext\tLet", "\n\ntext\tLet"), 7, "a statement, a line of underscores"),
        (HEAD + PAIR + PAIR.replace("Let", "\udcff"), 18, "text in UTF-8"),
    ],
)
def test_anything_else_is_refused_with_file_line_and_what_was_expected(tmp_path, text, line, expected):
    with pytest.raises(ProofmatchError) as error:
        imported(tmp_path / "files", text, tmp_path / "release")
    assert re.search(
        rf"mixed_conservation_dev, line {line}: expected .*{re.escape(expected)}", str(error.value)
    )
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("sign", "shown"), [("y", "y"), ("\0", r"\x00"), ("\U000e0001", r"\U000e0001")])
def test_of_a_long_symbol_only_the_beginning_is_shown(tmp_path, sign, shown):
    with pytest.raises(ProofmatchError) as error:
        imported(
            tmp_path / "files",
            HEAD + PAIR.replace("math_=____bold", f"math_{sign * 5000}____blod"),
            tmp_path / "release",
        )
    assert f"one of MathML's fonts instead of 'math_{shown * 5}" in str(error.value)
    assert len(str(error.value)) < 300 + len(str(tmp_path))


def test_the_same_command_succeeds_once_the_file_is_fixed(tmp_path):
    with pytest.raises(ProofmatchError):
        imported(tmp_path / "files", HEAD + PAIR.replace("text\tLet", "txet\tLet"), tmp_path / "release")
    assert len(rows_of(imported(tmp_path / "files", HEAD + PAIR, tmp_path / "release"))) == 3


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    def read_then_append(file, stream):
        articles = read_articles(file, stream)
        with file.path.open("a", encoding="utf-8") as published:
            published.write(PAIR)
        return articles

    with monkeypatch.context() as patch:
        patch.setattr(published, "read_articles", read_then_append)
        with pytest.raises(ProofmatchError, match=r"mixed_conservation_\w+ was changed while it was read"):
            imported(tmp_path / "files", HEAD + PAIR, tmp_path / "release")
    assert len(rows_of(imported(tmp_path / "files", HEAD + PAIR, tmp_path / "release"))) == 3


def test_a_truncated_compressed_file_is_one_sentence(tmp_path):
    import gzip

    imported(tmp_path / "files", HEAD + PAIR, tmp_path / "release")
    plain = tmp_path / "files/mixed_conservation_dev"
    (tmp_path / "files/mixed_conservation_dev.gz").write_bytes(gzip.compress(plain.read_bytes())[:-20])
    plain.unlink()
    with pytest.raises(
        ProofmatchError, match=r"mixed_conservation_dev\.gz cannot be read .*download it again"
    ):
        import_published(tmp_path / "files", tmp_path / "release2", workers=1)


def test_what_is_refused_before_any_pair_is_read_leaves_nothing_behind(tmp_path):
    with pytest.raises(ProofmatchError):
        imported(tmp_path / "files", "", tmp_path / "release")
    assert not (tmp_path / "release").exists()


def test_pairs_that_differ_in_notation_alone_get_different_ids(tmp_path):
    first, second = PAIR, PAIR.replace("math_x", "x").replace("𝐲", "y____bold")
    release = imported(tmp_path / "files", HEAD + first + second + first, tmp_path / "release")
    rows = rows_of(release)
    assert len(rows) == 5
    for column in ("id", "statement_id", "proof_id"):
        assert len({row[column] for row in rows}) == 5
