"""What users call a SOURCE: folders, globs, archives, articles, URLs, read in the same order every time."""

import os
import pickle
import tarfile
import zipfile
from pathlib import Path

import fsspec
import pytest

from proofmatch.builder.readers.documents import FileDocument
from proofmatch.builder.readers.sources import read_sources
from proofmatch.builder.reasons import DocumentError, Reason
from proofmatch.errors import ProofmatchError

LIMIT = 1 << 20
NAMES = ["a.xhtml", "b/2.html", "b/c/1.htm", "b/10.xml", "z.XHTML"]
OTHERS = [".hidden.xhtml", "b/._1.html", "notes.txt", "picture.png", "b/style.css", "a.xhtml~", "html"]


def content(name: str) -> bytes:
    return f"<p>{name}</p>".encode()


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder of articles and other things, made in an order that means nothing."""
    root = tmp_path / "articles"
    for name in sorted(NAMES + OTHERS, key=lambda name: name[::-1]):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content(name))
    return root


def read(*sources: str | Path) -> dict[str, bytes]:
    return {document.name: document.read() for document in read_sources(map(str, sources), LIMIT)}


def pack(folder: Path, archive: Path) -> Path:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w") as file:
            for name in NAMES:
                file.write(folder / name, name)
    else:
        with tarfile.open(archive, f"w:{archive.suffix.removeprefix('.').removesuffix('tar')}") as file:
            for name in NAMES:
                file.add(folder / name, name)
    return archive


ALL = {name: content(name) for name in NAMES}


def test_a_folder_is_read_with_its_subfolders_and_without_other_files(folder):
    assert read(folder) == ALL


def test_the_order_of_a_folder_is_that_of_its_names(folder, tmp_path):
    names = list(read(folder))
    assert names == ["a.xhtml", "z.XHTML", "b/10.xml", "b/2.html", "b/c/1.htm"]
    copy = tmp_path / "copy"
    for name in reversed(names):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(content(name))
    assert list(read(copy)) == names


def test_pipes_with_names_of_articles_do_not_stop_the_reader(folder):
    os.mkfifo(folder / "pipe.xhtml")
    (folder / "folder.html").mkdir()
    (folder / "dangling.xhtml").symlink_to(folder / "nowhere.xhtml")
    assert read(folder) == ALL


def test_a_folder_of_articles_that_links_to_itself_is_read_once(folder):
    (folder / "b" / "again").symlink_to(folder, target_is_directory=True)
    assert read(folder) == ALL


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that root cannot read either")
def test_an_article_with_a_disk_error_is_unreadable():
    with pytest.raises(DocumentError) as caught:
        FileDocument("a.xhtml", 1, "a.xhtml:1:1", "/proc/self/mem").read()
    assert caught.value.reason is Reason.UNREADABLE
    assert caught.value.detail == "Input/output error"


def test_the_stamp_of_a_document_changes_when_its_file_does(folder):
    before = [document.stamp for document in read_sources([str(folder)], LIMIT)]
    assert before == [document.stamp for document in read_sources([str(folder)], LIMIT)]
    (folder / "a.xhtml").write_bytes(b"<p>something else</p>")
    after = [document.stamp for document in read_sources([str(folder)], LIMIT)]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False, True, True, True, True]


def test_a_single_article_is_a_source(folder):
    assert read(folder / "b" / "2.html") == {"2.html": content("b/2.html")}


@pytest.mark.parametrize(
    ("pattern", "articles"),
    [
        ("*.xhtml", ["a.xhtml"]),
        ("b/*", ["b/10.xml", "b/2.html", "b/c/1.htm"]),
        ("**/*.htm*", ["b/2.html", "b/c/1.htm"]),
        ("[az].[xX]*", ["a.xhtml", "z.XHTML"]),
    ],
)
def test_a_glob_gives_the_articles_it_matches_in_order(folder, pattern, articles):
    assert list(read(folder / pattern).values()) == [content(name) for name in articles]


def test_a_glob_distinguishes_files_by_their_folders(tmp_path):
    for article in ("2401.00001", "2401.00002"):
        (tmp_path / article).mkdir()
        (tmp_path / article / "index.html").write_bytes(content(article))
    assert list(read(tmp_path / "*" / "index.html")) == ["2401.00001/index.html", "2401.00002/index.html"]


def test_a_glob_can_match_archives(folder, tmp_path):
    pack(folder, tmp_path / "one.zip")
    assert read(tmp_path / "*.zip") == ALL


def test_a_folder_whose_name_looks_like_a_pattern_is_a_folder(folder):
    odd = folder.rename(folder.parent / "articles[1]")
    assert read(odd) == ALL


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tar.bz2", "x.tar.xz", "x.zip"])
@pytest.mark.parametrize("by_url", [False, True])
def test_every_kind_of_archive_is_a_source(folder, tmp_path, name, by_url):
    archive = pack(folder, tmp_path / name)
    assert read(archive.as_uri() if by_url else archive) == ALL


def test_several_sources_are_read_one_after_the_other(folder, tmp_path):
    archive = pack(folder, tmp_path / "x.tar")
    names = [d.name for d in read_sources([str(folder / "a.xhtml"), str(archive), str(folder)], LIMIT)]
    assert names == ["a.xhtml", *NAMES, *read(folder)]


def test_the_url_of_a_folder_gives_what_the_folder_gives(folder):
    assert read(folder.as_uri()) == ALL
    assert read(folder.as_uri() + "/") == ALL


def test_the_url_of_a_folder_with_one_article_in_a_folder_gives_the_same_name_too(tmp_path):
    (tmp_path / "2401.00001").mkdir()
    (tmp_path / "2401.00001" / "index.html").write_bytes(b"<p/>")
    assert list(read(tmp_path.as_uri())) == list(read(tmp_path)) == ["2401.00001/index.html"]


def edit(path):
    path.write_bytes(b"<p>another</p>")


def replace(path):
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes())
    os.utime(other, (1, 1))
    other.replace(path)


@pytest.mark.parametrize("change", [edit, replace, Path.unlink])
def test_an_article_that_changes_before_it_is_read_is_refused(folder, change):
    path = folder / "b" / "2.html"
    (found,) = read_sources([str(path)], LIMIT)
    change(path)
    with pytest.raises(ProofmatchError) as refused:
        found.read()
    assert str(pickle.loads(pickle.dumps(refused.value))) == (  # noqa: S301 - as it comes from a worker
        f"{path} was changed while it was read; run the same command again when it is complete"
    )


def test_the_url_of_an_article_is_a_source(folder):
    assert read((folder / "b" / "2.html").as_uri()) == {"2.html": content("b/2.html")}


def test_the_url_of_a_pattern_is_a_source(folder):
    assert list(read(folder.as_uri() + "/b/*.html").values()) == [content("b/2.html")]


@pytest.fixture
def memory():
    """The articles in fsspec's file system in memory."""
    files = fsspec.filesystem("memory")
    for name in NAMES + OTHERS:
        files.pipe_file(f"/corpus/{name}", content(name))
    yield files
    files.rm("/corpus", recursive=True)


@pytest.mark.usefixtures("memory")
def test_articles_in_memory_are_a_source():
    documents = read("memory://corpus")
    assert documents == ALL
    assert list(documents) == sorted(NAMES)


def test_an_archive_in_memory_is_a_source(memory, folder, tmp_path):
    memory.pipe_file("/corpus/x.tar.gz", pack(folder, tmp_path / "x.tar.gz").read_bytes())
    assert read("memory://corpus/x.tar.gz") == ALL


def test_an_archive_behind_http_is_a_source(web_server, folder):
    pack(folder, web_server.folder / "x.tar.gz")
    assert read(f"{web_server.url}/x.tar.gz") == ALL


def test_an_archive_behind_http_that_changes_while_it_is_read_is_refused(web_server, folder):
    archive = pack(folder, web_server.folder / "changing.tar.gz")
    with pytest.raises(ProofmatchError, match=r"changing\.tar\.gz was changed while it was read"):
        for _ in read_sources([f"{web_server.url}/changing.tar.gz"], LIMIT):
            archive.write_bytes(archive.read_bytes() + b"more")


def test_an_article_behind_http_is_a_source(web_server):
    (web_server.folder / "0704_0001.xhtml").write_bytes(b"<p/>")
    assert read(f"{web_server.url}/0704_0001.xhtml") == {"0704_0001.xhtml": b"<p/>"}


def test_a_url_without_content_is_an_error(web_server):
    with pytest.raises(ProofmatchError, match=r"missing\.tar\.gz"):
        read(f"{web_server.url}/missing.tar.gz")


@pytest.mark.skipif(os.name != "posix", reason="file names are bytes on POSIX only")
def test_a_file_whose_name_has_undecodable_bytes_is_read(tmp_path):
    path = os.fsencode(tmp_path) + b"/Th\xe9or\xe8me.xhtml"
    with open(path, "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(b"<p/>")
    documents = read(tmp_path)
    assert documents == {"Th\ufffdor\ufffdme.xhtml": b"<p/>"}
    assert all(name.encode() for name in documents)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing", "does not exist"),
        ("missing.tar.gz", "does not exist"),
        ("*.nothing", "no file matches"),
        ("articles/notes.txt", "neither a folder nor an article"),
        ("unknown://x", "cannot be read"),
    ],
)
def test_an_invalid_source_is_an_error_that_names_it(folder, monkeypatch, source, message):
    monkeypatch.chdir(folder.parent)
    with pytest.raises(ProofmatchError, match=message) as caught:
        read(source)
    assert source in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_url_without_a_file_is_an_error(tmp_path):
    with pytest.raises(ProofmatchError, match=r"missing\.tar\.gz"):
        read((tmp_path / "missing.tar.gz").as_uri())


def test_hidden_folders_are_ignored(tmp_path):
    for name in (".git/a.html", "shown/b.html"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"<p/>")
    assert list(read(str(tmp_path))) == ["shown/b.html"]


def test_a_pattern_that_finds_folders_reads_them(tmp_path):
    for name in ("0704/0704_0001.xhtml", "0705/0705_0002.xhtml"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"<p/>")
    assert list(read(f"{tmp_path}/07*")) == ["0704/0704_0001.xhtml", "0705/0705_0002.xhtml"]
