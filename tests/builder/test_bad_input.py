"""Whole builds over bad input: good articles are kept, bad ones are named, and nothing ends the run.

A few articles of the sample stand among every kind of bad document, in a folder and in archives that are
themselves damaged. Invalid sources end with one sentence.
"""

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.reasons import Reason
from proofmatch.errors import ProofmatchError
from tests.builder.bad_documents import bad_documents, harmless_documents

HUGE = 60 << 20
HUGE_NAME = "huge.xhtml"


def pairs(release: Path) -> dict[str, dict]:
    """All pairs of a release, by their ids."""
    tables = [pq.read_table(path) for path in sorted((release / "data" / "pairs").glob("*.parquet"))]
    return {row["id"]: row for row in pa.concat_tables(tables).to_pylist()}


def reasons(release: Path) -> dict[str, str]:
    """Why each document was discarded, by the name that the detail begins with."""
    rows = pq.read_table(release / "discarded.parquet").to_pylist()
    return {row["detail"].split(":")[0]: row["reason"] for row in rows}


def noise(size: int) -> bytes:
    """Bytes that cannot be compressed."""
    return hashlib.shake_256(b"noise").digest(size)


class Zeros(io.RawIOBase):
    """A file of that many zeros that is nowhere."""

    def __init__(self, size: int) -> None:
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        count = min(len(buffer), self._left)
        buffer[:count] = bytes(count)
        self._left -= count
        return count


def add(archive: tarfile.TarFile, name: str, data: bytes | Zeros, size: int | None = None) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data) if size is None else size
    archive.addfile(info, io.BufferedReader(data) if isinstance(data, Zeros) else io.BytesIO(data))


def link(archive: tarfile.TarFile, name: str, kind: bytes, target: str) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    archive.addfile(info)


def good_articles(articles: Path, *numbers: int) -> dict[str, bytes]:
    paths = [path for number in numbers for path in articles.glob(f"sample.{number:04d}.*html")]
    assert len(paths) == len(numbers)
    return {path.name: path.read_bytes() for path in paths}


def of_articles(release: Path, *numbers: int) -> dict[str, dict]:
    """The pairs of some articles in the release of the whole sample."""
    wanted = {f"sample.{number:04d}" for number in numbers}
    return {name: pair for name, pair in pairs(release).items() if pair["article_id"] in wanted}


def write_zip(path: Path, good: Mapping[str, bytes]) -> None:
    """A zip with good articles, a corrupted and an encrypted member, and the rest of the horrors."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("corrupted.xhtml", noise(5000))
        archive.writestr("encrypted.xhtml", b"<p/>")
        archive.writestr("../zip-escape.xhtml", b"<p/>")
        archive.writestr("/zip-absolute.xhtml", b"<p/>")
        with archive.open(f"zip-{HUGE_NAME}", "w") as member:
            for _ in range(HUGE >> 20):
                member.write(bytes(1 << 20))
        for name, data in good.items():
            archive.writestr(name, data)
    data = bytearray(path.read_bytes())
    middle = data.index(b"corrupted.xhtml") + 2000
    data[middle : middle + 50] = bytes(50)
    local, central = data.index(b"encrypted.xhtml"), data.rindex(b"encrypted.xhtml")
    data[local - 30 + 6] |= 1
    data[central - 46 + 8] |= 1
    path.write_bytes(data)


@pytest.fixture(scope="module")
def hidden_file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("hidden") / "hidden.txt"
    path.write_text("must not be read")
    return path.as_uri()


@pytest.fixture(scope="module")
def documents(web_server, hidden_file) -> dict[str, bytes]:
    """Every bad document, and those that are only suspicious."""
    bad = {name: data for name, (data, _) in bad_documents(web_server.url).items()}
    return bad | harmless_documents(web_server.url, hidden_file)


@pytest.fixture(scope="module")
def from_folder(tmp_path_factory, articles, documents) -> Path:
    folder = tmp_path_factory.mktemp("folder")
    for name, data in (good_articles(articles, 1, 3, 6) | documents).items():
        (folder / name).write_bytes(data)
    with (folder / HUGE_NAME).open("wb") as file:
        file.write(b"<html>")
        file.truncate(HUGE)  # a hole: takes no space
    return build_release(folder, tmp_path_factory.mktemp("out") / "release", workers=2)


@pytest.fixture(scope="module")
def from_archives(tmp_path_factory, articles, documents) -> Path:
    folder = tmp_path_factory.mktemp("archives")
    with tarfile.open(folder / "a.tar.gz", "w:gz", compresslevel=1) as archive:
        for name, data in documents.items():
            add(archive, f"bad/{name}", data)
        add(archive, HUGE_NAME, Zeros(HUGE), HUGE)
        add(archive, "../escape.xhtml", b"<p/>")
        add(archive, "/absolute.xhtml", b"<p/>")
        link(archive, "symbolic.xhtml", tarfile.SYMTYPE, "/etc/passwd")
        link(archive, "hard.xhtml", tarfile.LNKTYPE, "bad/empty.xhtml")
        for name, data in good_articles(articles, 1, 3).items():
            add(archive, name, data)
    for number, kind in ((7, "gz"), (8, "bz2"), (10, "xz")):
        path = folder / f"cut.tar.{kind}"
        with tarfile.open(path, f"w:{kind}") as archive:
            for name, data in good_articles(articles, number).items():
                add(archive, name, data)
            add(archive, "filler.bin", noise(1_500_000))
            add(archive, "lost.xhtml", b"<p/>")
        path.write_bytes(path.read_bytes()[:-100_000])
    write_zip(folder / "b.zip", good_articles(articles, 6, 11))
    (folder / "fake.tar.gz").write_bytes(b"this is no archive")
    (folder / "fake.zip").write_bytes(b"neither is this")
    sources = sorted(folder.iterdir())
    return build_release(sources, tmp_path_factory.mktemp("out") / "release", workers=2)


def test_the_good_articles_of_a_folder_arrive_whole(from_folder, release):
    expected = of_articles(release, 1, 3, 6)
    assert len(expected) > 10
    assert pairs(from_folder) == expected


def test_the_good_articles_of_archives_arrive_whole(from_archives, release):
    assert pairs(from_archives) == of_articles(release, 1, 3, 6, 7, 8, 10, 11)


@pytest.mark.parametrize("name", bad_documents(""))
def test_every_bad_document_is_discarded_with_its_reason(name, from_folder, from_archives):
    _, reason = bad_documents("")[name]
    assert reasons(from_folder)[name] == reason
    assert reasons(from_archives)[f"bad/{name}"] == reason


def test_suspicious_documents_are_read_like_any_other(from_folder, from_archives):
    for release in (from_folder, from_archives):
        short = Reason.STATEMENT_TOO_SHORT
        rows = pq.read_table(release / "discarded.parquet").to_pylist()
        assert {Path(name).stem for name in harmless_documents("", "")} <= {
            row["article_id"] for row in rows if row["reason"] == short and "Let x be." in row["detail"]
        }


@pytest.mark.usefixtures("from_folder", "from_archives")
def test_nothing_is_fetched(web_server):
    assert web_server.requests == []


def test_a_document_over_the_size_limit_is_not_read(from_folder, from_archives):
    assert reasons(from_folder)[HUGE_NAME] == Reason.TOO_LARGE
    assert reasons(from_archives)[HUGE_NAME] == Reason.TOO_LARGE
    assert reasons(from_archives)[f"zip-{HUGE_NAME}"] == Reason.TOO_LARGE


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../escape.xhtml", Reason.UNSAFE_MEMBER),
        ("/absolute.xhtml", Reason.UNSAFE_MEMBER),
        ("symbolic.xhtml", Reason.UNSAFE_MEMBER),
        ("hard.xhtml", Reason.UNSAFE_MEMBER),
        ("../zip-escape.xhtml", Reason.UNSAFE_MEMBER),
        ("/zip-absolute.xhtml", Reason.UNSAFE_MEMBER),
        ("corrupted.xhtml", Reason.UNREADABLE),
        ("encrypted.xhtml", Reason.UNREADABLE),
        ("cut.tar.gz", Reason.BROKEN_ARCHIVE),
        ("cut.tar.bz2", Reason.BROKEN_ARCHIVE),
        ("cut.tar.xz", Reason.BROKEN_ARCHIVE),
        ("fake.tar.gz", Reason.BROKEN_ARCHIVE),
        ("fake.zip", Reason.BROKEN_ARCHIVE),
    ],
)
def test_every_fault_of_an_archive_is_named(name, reason, from_archives):
    assert reasons(from_archives)[name] == reason


def test_no_document_crashed_or_ran_out_of_time(from_folder, from_archives):
    found = {*reasons(from_folder).values(), *reasons(from_archives).values()}
    assert found.isdisjoint({Reason.CRASHED, Reason.TIMEOUT})


def test_an_entity_where_a_title_is_expected_does_not_end_the_run(tmp_path, articles, release):
    folder = tmp_path / "articles"
    folder.mkdir()
    for name, data in good_articles(articles, 1).items():
        (folder / name).write_bytes(data)
    body = '<div class="theorem">&nbsp;<p>Let x be.</p></div><div class="proof"><p>Clear.</p></div>'
    page = (
        f'<!DOCTYPE html SYSTEM "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>'
    )
    (folder / "entity.xhtml").write_text(page)
    built = build_release(folder, tmp_path / "release", workers=1)
    assert pairs(built) == of_articles(release, 1)


NO_SOURCES = {
    "missing": "does not exist",
    "missing.tar.gz": "does not exist",
    "empty": "no article",
    "empty/*.xhtml": "no file matches",
    "empty.tar": "no article",
    "notes.txt": "neither a folder nor an article",
    "unknown://x": "cannot be read",
    "file:///nowhere/missing.tar.gz": "cannot be read",
}


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    """A working folder with an empty folder, an empty archive and a file that is no article."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x")
    with tarfile.open(tmp_path / "empty.tar", "w"):
        pass
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("source", NO_SOURCES)
def test_a_source_without_articles_is_an_error_of_one_sentence(source):
    with pytest.raises(ProofmatchError, match=NO_SOURCES[source]) as caught:
        build_release(source, "release", workers=1)
    assert source in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", NO_SOURCES)
def test_the_command_ends_with_code_2_and_one_line(source, workplace):
    command = [sys.executable, "-m", "proofmatch", "build", source, "--out", "release", "--workers", "1"]
    result = subprocess.run(command, cwd=workplace, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("proofmatch build: ")
    assert source in line


@pytest.mark.parametrize("source", ["empty", "empty/*.xhtml", "notes.txt", "unknown://x"])
def test_after_a_wrong_source_the_right_one_is_built_in_the_same_place(source, workplace, articles):
    with pytest.raises(ProofmatchError):
        build_release(source, "release", workers=1)
    build_release(articles / "sample.0001.xhtml", "release", workers=1)
    assert (workplace / "release" / "manifest.json").exists()


def test_a_wrong_source_among_right_ones_is_an_error(workplace, articles):
    with pytest.raises(ProofmatchError, match="'missing' does not exist"):
        build_release([articles, "missing"], "release", workers=1)
    assert not (workplace / "release" / "manifest.json").exists()


def test_an_unreadable_archive_is_not_a_source(tmp_path):
    broken = tmp_path / "broken.tar.gz"
    broken.write_bytes(b"not a gzip file" * 100)
    with pytest.raises(ProofmatchError, match="no article"):
        build_release(broken, tmp_path / "release")
    assert not (tmp_path / "release" / ".build").exists()
