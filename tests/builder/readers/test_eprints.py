"""The files of a LaTeX source: unpacked within limits, cut into articles, the right one as the main file."""

import gzip
import tarfile

import pytest

from proofmatch.builder.readers.eprints import (
    group_articles,
    is_arxiv_pdf,
    is_eprint_name,
    is_packed_name,
    unpack_source,
)
from proofmatch.builder.readers.sources import have_latex, read_sources
from proofmatch.builder.reasons import DocumentError, Reason
from tests.builder.latex.texts import article, eprint, tar_of

LIMIT = 1 << 20


def unpacked(data: bytes, name: str = "0704.0001.gz") -> tuple[str, set[str]]:
    source = unpack_source(data, name, LIMIT)
    return source.main, set(source.files)


@pytest.mark.parametrize(
    "name", ["a.tex", "x/0704.0001.gz", "math0512001.gz", "0704.0001v2.tar.gz", "arXiv-2301.01234v1.tar.gz"]
)
def test_sources_are_recognised_by_their_names(name):
    assert is_eprint_name(name)


@pytest.mark.parametrize(
    "name", ["corpus.tar.gz", "a.xhtml", "picture.svg.gz", "data.json.gz", ".a.tex", "a.sty"]
)
def test_other_files_are_none(name):
    assert not is_eprint_name(name)


def test_an_archive_in_an_archive_is_a_source_and_so_is_arxivs_pdf():
    assert is_packed_name("x/y.tar.gz")
    assert is_arxiv_pdf("0704/0704.0002.pdf")
    assert not is_arxiv_pdf("figures/plot.pdf")


def test_one_file_compressed_or_not_is_the_same_source():
    text = article().encode()
    plain, packed, folder = (
        unpack_source(data, name, LIMIT)
        for data, name in (
            (text, "x/paper.tex"),
            (gzip.compress(text), "0704.0001.gz"),
            (tar_of({"0704.0001": text}), "a.gz"),
        )
    )
    assert plain.digest() == packed.digest()
    assert folder.main == "0704.0001"


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"intro.tex": "text", "thesis.tex": article()}, "thesis.tex"),
        ({"a.tex": article(), "ms.tex": article()}, "ms.tex"),
        ({"main.tex": article(), "b.tex": article(), "b.bbl": "x"}, "b.tex"),
        ({"main.tex": "% \\documentclass{article}", "z.tex": article()}, "z.tex"),
        ({"main.tex": "\\documentclass[m]{subfiles}\\begin{document}", "z.tex": article()}, "z.tex"),
        ({"old/main.tex": article(), "main.tex": article()}, "main.tex"),
        ({"a.tex": article(), "b.tex": article(), "00README.XXX": "b.tex toplevelfile\n"}, "b.tex"),
        (
            {
                "a.tex": article(),
                "b.tex": article(),
                "00README.json": '{"sources": [{"filename": "b.tex", "usage": "toplevel"}]}',
            },
            "b.tex",
        ),
        ({"a.tex": article(), "0704.0001.tex": article()}, "0704.0001.tex"),
        (
            {"style.cls": "\\documentclass{x}", "old.ltx": "\\documentstyle{amsart}\\begin{document}"},
            "old.ltx",
        ),
    ],
)
def test_the_main_file_is_found(files, main):
    assert unpacked(eprint(files))[0] == main


def test_pictures_bindings_links_and_names_that_leave_the_folder_are_not_unpacked():
    link = tarfile.TarInfo("linked.tex")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    files = {
        "main.tex": article(),
        "part.tex": "x",
        "own.sty": "x",
        "evil.sty.ltxml": "x",
        "main.latexml": "x",
        "EVIL.LTXML": "x",
        "figure.eps": "x",
        "../up.tex": "x",
        "/abs.tex": "x",
        "a\\b.tex": "x",
        "linked.tex": link,
    }
    assert unpacked(eprint(files)) == ("main.tex", {"main.tex", "part.tex", "own.sty"})


_NO_SOURCES = {
    "pdf": (b"%PDF-1.4", Reason.NOT_LATEX),
    "packed-pdf": (gzip.compress(b"%PDF-1.4"), Reason.NOT_LATEX),
    "postscript": (gzip.compress(b"%!PS-Adobe"), Reason.NOT_LATEX),
    "withdrawn": (gzip.compress(b"%auto-ignore\nThis paper has been withdrawn."), Reason.NOT_LATEX),
    "plain-tex": (gzip.compress(b"\\magnification=1200 plain TeX \\bye"), Reason.NOT_LATEX),
    "binary": (gzip.compress(b"\0\1\2" * 400), Reason.NOT_LATEX),
    "nothing": (b"", Reason.NOT_LATEX),
    "two-files": (eprint({"a.tex": "x", "b.tex": "y"}), Reason.NO_MAIN_FILE),
    "no-files": (eprint({}), Reason.NOT_LATEX),
    "figure": (eprint({"figure.eps": "x"}), Reason.NO_MAIN_FILE),
    "truncated": (gzip.compress(b"x" * 100)[:-9], Reason.UNREADABLE),
    "large-file": (gzip.compress(article().encode() * 20000), Reason.TOO_LARGE),
    "large-folder": (eprint({"main.tex": article(), "a.tex": b"x" * LIMIT}), Reason.TOO_LARGE),
}


# The ids are names, because compressed data contains the time, and every test process must see the same ids.
@pytest.mark.parametrize(("data", "reason"), _NO_SOURCES.values(), ids=_NO_SOURCES)
def test_what_is_no_latex_has_a_reason(data, reason):
    with pytest.raises(DocumentError) as caught:
        unpack_source(data, "0704.0001.gz", LIMIT)
    assert caught.value.reason is reason


def test_files_of_an_archive_are_cut_into_articles():
    files = {
        "a/main.tex": article().encode(),
        "a/sections/one.tex": b"one",
        "a/own.sty": b"own",
        "b/paper.tex": article().encode(),
        "c/lost.tex": b"lost",
    }
    articles = dict(group_articles(files))
    assert list(articles) == ["a/main.tex", "b/paper.tex", "c/lost.tex"]
    assert unpacked(articles["a/main.tex"], "a/main.tex") == (
        "main.tex",
        {"main.tex", "sections/one.tex", "own.sty"},
    )
    assert articles["b/paper.tex"] == files["b/paper.tex"]
    assert articles["c/lost.tex"] is None


@pytest.fixture
def folder(tmp_path):
    files = {
        "a/main.tex": article(),
        "a/a-part.tex": "part",
        "a/sections/one.tex": "one",
        "b/one.tex": article(),
        "b/two.tex": article(),
        "c/lost.tex": "lost",
        "article.xhtml": "<html/>",
        ".hidden/x.tex": article(),
    }
    for name, text in files.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "folder"


@pytest.mark.parametrize("kind", ["folder", "tar", "glob"])
def test_a_folder_a_tar_of_it_and_a_glob_give_the_same_articles(folder, tmp_path, kind):
    source = folder
    if kind == "tar":
        source = tmp_path / "x.tar"
        with tarfile.open(source, "w") as archive:
            for path in sorted(folder.rglob("*.*")):
                if path.is_file() and ".hidden" not in path.parts:
                    archive.add(path, path.relative_to(folder).as_posix())
    elif kind == "glob":
        source = folder / "**" / "*.*"
    assert have_latex([str(source)])
    found = {document.name: document for document in read_sources([str(source)], LIMIT, latex=True)}
    names = {"a/main.tex", "b/one.tex", "b/two.tex", "c/lost.tex", "article.xhtml"}
    assert found.keys() == names
    assert unpacked(found["a/main.tex"].read(), "a/main.tex") == (
        "main.tex",
        {"main.tex", "a-part.tex", "sections/one.tex"},
    )
    with pytest.raises(DocumentError) as caught:
        found["c/lost.tex"].read()
    assert caught.value.reason is Reason.NO_MAIN_FILE


def test_a_changed_part_changes_the_article(folder):
    before = {document.name: document.stamp for document in read_sources([str(folder)], LIMIT)}
    (folder / "a" / "sections" / "one.tex").write_text("another one")
    after = {document.name: document.stamp for document in read_sources([str(folder)], LIMIT)}
    assert {name for name in before if before[name] != after[name]} == {"a/main.tex"}


def test_articles_in_xhtml_alone_need_no_latexml(articles):
    assert not have_latex([str(articles)])
