"""Archives, read once from front to back.

Pinned here: every kind of archive gives its articles in its own order; unsafe, oversized, encrypted and
damaged members are named instead of read; damage ends an archive with a trace; memory does not grow.
"""

import bz2
import gzip
import hashlib
import io
import itertools
import lzma
import os
import tarfile
import tracemalloc
import zipfile
from collections.abc import Iterable, Mapping

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.engine import local
from proofmatch.builder.readers import archives
from proofmatch.builder.readers.archives import is_archive_name, read_archive
from proofmatch.builder.readers.documents import FaultyDocument
from proofmatch.builder.reasons import DocumentError, Reason
from proofmatch.builder.sample import sample_articles

LIMIT = 1 << 20
ARTICLES = {f"{folder}/{n}.xhtml": f"<p>{folder} {n}</p>".encode() for folder in ("b", "a") for n in (2, 1)}


def tar(members: Mapping[str, bytes] | Iterable[tarfile.TarInfo], kind: str = "", **options: object) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=f"w:{kind}", **options) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member, io.BytesIO(bytes(member.size)))
            else:
                info = tarfile.TarInfo(member)
                info.size = len(members[member])
                archive.addfile(info, io.BytesIO(members[member]))
    return file.getvalue()


def zipped(members: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def read(data: bytes, name: str = "x.tar", limit: int = LIMIT) -> tuple[dict[str, bytes], dict[str, Reason]]:
    """The readable documents of an archive, and the faults of the others."""
    good, faults = {}, {}
    for document in read_archive(io.BytesIO(data), name, limit):
        try:
            good[document.name] = document.read()
        except DocumentError as error:
            faults[document.name] = error.reason
    return good, faults


def noise(seed: int, size: int) -> bytes:
    """Bytes that cannot be compressed."""
    return hashlib.shake_256(bytes([seed])).digest(size)


def special(name: str, kind: bytes, target: str = "a/1.xhtml") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    "name",
    ["x.tar", "x.tar.gz", "x.tgz", "x.tar.bz2", "x.tbz2", "x.tar.xz", "x.txz", "X.TAR.GZ", "x.zip", "x.ZIP"],
)
def test_archives_are_recognised_by_their_names(name):
    assert is_archive_name(name)


@pytest.mark.parametrize("name", ["x.gz", "x.xhtml", "tar", "x.tar.txt", "zip", "x.rar", "x.xhtml.gz"])
def test_other_names_are_no_archives(name):
    assert not is_archive_name(name)


@pytest.mark.parametrize(
    ("kind", "suffix"), [("", "tar"), ("gz", "tar.gz"), ("bz2", "tar.bz2"), ("xz", "tar.xz")]
)
def test_a_tar_gives_its_articles_in_its_own_order(kind, suffix):
    good, faults = read(tar(ARTICLES, kind), f"x.{suffix}")
    assert list(good.items()) == list(ARTICLES.items())
    assert faults == {}


def test_a_zip_gives_its_articles_in_its_own_order():
    good, faults = read(zipped(ARTICLES), "x.zip")
    assert list(good.items()) == list(ARTICLES.items())
    assert faults == {}


@pytest.mark.parametrize("encoding", ["gz", "bz2", "xz", ""])
def test_the_compression_of_a_tar_is_seen_by_its_bytes(encoding):
    assert read(tar(ARTICLES, encoding), "x.tar")[0] == ARTICLES


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_tar_format_is_read(form):
    name = "/".join(["folder" * 5] * 6) + ".xhtml" if form != tarfile.USTAR_FORMAT else "short.xhtml"
    assert read(tar({name: b"<p/>"}, format=form))[0] == {name: b"<p/>"}


@pytest.mark.parametrize(("pack", "name"), [(tar, "x.tar"), (zipped, "x.zip")])
def test_files_that_are_not_articles_are_skipped(pack, name):
    others = {
        "a.png": b"x",
        "a.tex": b"x",
        ".hidden.html": b"x",
        "b/._a.xhtml": b"x",
        "LICENSE": b"x",
        "a.gz": b"x",
    }
    good, faults = read(pack({**others, "./a.HTML": b"1", "b.htm": b"2", "c.xml": b"3"}), name)
    assert good == {"a.HTML": b"1", "b.htm": b"2", "c.xml": b"3"}
    assert faults == {}


@pytest.mark.parametrize(("pack", "name"), [(tar, "x.tar"), (zipped, "x.zip")])
@pytest.mark.parametrize(
    "unsafe", ["../up.xhtml", "a/../../up.xhtml", "/etc/abs.xhtml", "a\\..\\..\\up.xhtml"]
)
def test_a_member_that_would_leave_the_archive_is_not_read(pack, name, unsafe):
    good, faults = read(pack({unsafe: b"<p/>", "a/1.xhtml": b"<p/>"}), name)
    assert list(good) == ["a/1.xhtml"]
    assert list(faults.values()) == [Reason.UNSAFE_MEMBER]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_read(kind):
    good, faults = read(tar([special("link.xhtml", kind), special("link2.xhtml", kind, "/etc/passwd")]))
    assert good == {}
    assert faults == {"link.xhtml": Reason.UNSAFE_MEMBER, "link2.xhtml": Reason.UNSAFE_MEMBER}


def test_a_folder_with_the_name_of_an_article_is_skipped():
    assert read(tar([special("folder.html", tarfile.DIRTYPE)])) == ({}, {})
    assert read(zipped({"folder.html/": b""}), "x.zip") == ({}, {})


@pytest.mark.parametrize(("pack", "name"), [(tar, "x.tar"), (zipped, "x.zip")])
def test_a_member_over_the_limit_is_not_read_and_one_at_the_limit_is(pack, name):
    members = {"large.xhtml": bytes(101), "fits.xhtml": bytes(100), "small.xhtml": b"x"}
    good, faults = read(pack(members), name, limit=100)
    assert list(good) == ["fits.xhtml", "small.xhtml"]
    assert faults == {"large.xhtml": Reason.TOO_LARGE}


def test_a_zip_that_lies_about_a_size_does_not_fill_the_memory():
    data = zipped({"bomb.xhtml": bytes(50_000)})
    size = (50_000).to_bytes(4, "little")
    good, faults = read(data.replace(size, (10).to_bytes(4, "little")), "x.zip", limit=1000)
    assert good == {}
    assert set(faults) == {"bomb.xhtml"}


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_whose_compression_cannot_be_undone_in_pieces_does_not_fill_the_memory(compression):
    size = 100 << 20
    data = zipped({"bomb.xhtml": bytes(size)}, compression)
    data = data.replace(size.to_bytes(4, "little"), (10).to_bytes(4, "little"))
    tracemalloc.start()
    assert read(data, "x.zip") == ({}, {"bomb.xhtml": Reason.UNREADABLE})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 << 20


def test_a_corrupted_member_of_a_zip_is_lost_alone():
    data = bytearray(zipped({"a.xhtml": b"<p/>", "bad.xhtml": noise(0, 5000), "c.xhtml": b"<p/>"}))
    middle = data.index(b"bad.xhtml") + 2000
    data[middle : middle + 100] = bytes(100)
    good, faults = read(bytes(data), "x.zip")
    assert list(good) == ["a.xhtml", "c.xhtml"]
    assert faults == {"bad.xhtml": Reason.UNREADABLE}


def test_an_encrypted_member_of_a_zip_is_named():
    data = bytearray(zipped({"locked.xhtml": b"<p/>"}))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + flags] |= 1
    documents = list(read_archive(io.BytesIO(bytes(data)), "x.zip", LIMIT))
    assert [(document.name, document.reason, document.detail) for document in documents] == [
        ("locked.xhtml", Reason.UNREADABLE, "encrypted")
    ]


def test_an_unknown_compression_is_named():
    data = bytearray(zipped({"odd.xhtml": b"<p/>", "fine.xhtml": b"<p/>"}))
    for signature, method in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        data[data.index(signature) + method] = 99
    assert read(bytes(data), "x.zip") == ({"fine.xhtml": b"<p/>"}, {"odd.xhtml": Reason.UNREADABLE})


@pytest.mark.parametrize("name", ["x.tar", "x.tar.gz", "x.tar.bz2", "x.tar.xz", "x.zip"])
@pytest.mark.parametrize(
    "data", [b"", b"this is no archive " * 100, b"\x1f\x8b\x08 not gzip", b"BZh9 no", b"PK\3\4 no"]
)
def test_a_file_that_is_not_an_archive_is_a_broken_archive(name, data):
    (document,) = read_archive(io.BytesIO(data), f"folder/{name}", LIMIT)
    assert isinstance(document, FaultyDocument)
    assert (document.name, document.reason) == (name, Reason.BROKEN_ARCHIVE)


INCOMPRESSIBLE = {f"{n}.xhtml": noise(n, 3000) for n in range(6)}


@pytest.mark.parametrize("kind", ["", "gz", "bz2", "xz"])
def test_a_tar_that_is_cut_off_anywhere_keeps_what_came_before_and_says_so(kind):
    data = tar(INCOMPRESSIBLE, kind)
    for length in range(0, len(data), 499):
        good, faults = read(data[:length], f"x.tar.{kind}")
        assert list(good.items()) == list(INCOMPRESSIBLE.items())[: len(good)]
        assert len(good) == len(INCOMPRESSIBLE) or faults, f"cut at {length} of {len(data)}"


def test_a_tar_that_is_cut_off_between_two_members_says_so():
    data = tar(INCOMPRESSIBLE)
    good, faults = read(data[: data.index(b"3.xhtml")])
    assert list(good) == ["0.xhtml", "1.xhtml", "2.xhtml"]
    assert faults == {"x.tar": Reason.BROKEN_ARCHIVE}


def test_a_tar_with_a_damaged_header_says_so():
    data = bytearray(tar(INCOMPRESSIBLE))
    header = data.index(b"3.xhtml")
    data[header + 100 : header + 200] = b"\xff" * 100
    good, faults = read(bytes(data))
    assert list(good) == ["0.xhtml", "1.xhtml", "2.xhtml"]
    assert faults == {"x.tar": Reason.BROKEN_ARCHIVE}


def test_a_zip_that_is_cut_off_is_broken():
    data = zipped(ARTICLES)
    assert read(data[: len(data) // 2], "x.zip") == ({}, {"x.zip": Reason.BROKEN_ARCHIVE})


def test_an_empty_archive_has_no_documents():
    assert read(tar({})) == read(zipped({}), "x.zip") == ({}, {})


@pytest.mark.parametrize("encoding", ["latin-1", "cp866"])
def test_a_name_with_undecodable_bytes_is_made_fit_to_store(encoding):
    raw = "Лемма".encode(encoding) if encoding == "cp866" else "Théorème".encode(encoding)
    name = raw.decode("utf-8", "surrogateescape") + ".xhtml"
    good, faults = read(tar({name: b"<p/>"}, format=tarfile.GNU_FORMAT, errors="surrogateescape"))
    (stored,) = good
    assert stored.encode().endswith(b".xhtml")
    assert "\ufffd" in stored
    assert faults == {}


def test_a_zip_of_another_code_page_is_read():
    data = zipped({"Th_or_me.xhtml": b"<p/>"}).replace(b"Th_or_me", b"Th\xe9or\xe8me")
    (stored,) = read(data, "x.zip")[0]
    assert stored.startswith("Th")
    assert stored.endswith("me.xhtml")


def test_memory_does_not_grow_with_the_number_of_members():
    data = tar({f"{n:06d}.xhtml": b"<p/>" for n in range(4000)})
    documents = read_archive(io.BytesIO(data), "x.tar", LIMIT)
    tracemalloc.start()
    try:
        names = [document.name for document in itertools.islice(documents, 3999)]
        snapshot = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    assert (names[-1], next(documents).name) == ("003998.xhtml", "003999.xhtml")
    held = snapshot.filter_traces([tracemalloc.Filter(True, tarfile.__file__)]).statistics("filename")
    assert (
        sum(item.size for item in held) < 100_000
    )  # the list of members that tarfile keeps would be a megabyte


def test_concatenated_compressed_streams_are_one_archive():
    """Parallel compressors write a stream for each of their threads."""
    whole = tar(ARTICLES)
    middle = len(whole) // 2
    for module in (bz2, gzip, lzma):
        data = module.compress(whole[:middle]) + module.compress(whole[middle:])
        documents = list(read_archive(io.BytesIO(data), "x.tar", LIMIT))
        assert {document.name: document.read() for document in documents} == ARTICLES


def _damages(data: bytes) -> dict[str, bytes]:
    middle = len(data) // 2
    return {
        "sound": data,
        "twice": data + data,
        "cut": data[:middle],
        "changed": data[:middle] + bytes([data[middle] ^ 64]) + data[middle + 1 :],
        "without its last bytes": data[:-4],
        "with more behind it": data + b"more" * 100,
    }


@pytest.mark.parametrize("damage", _damages(b"1234567890"))
def test_bzip2_on_several_cores_gives_what_one_gives(tmp_path, monkeypatch, damage):
    pytest.importorskip("indexed_bzip2", reason="indexed_bzip2 is not installed: pip install .[bzip2]")
    members = {f"{number}.xhtml": noise(number, 200_000) for number in range(20)}
    path = tmp_path / "x.tar.bz2"
    path.write_bytes(_damages(tar(members, "bz2"))[damage])
    read_by = {}
    for threads, smallest in ((2, 0), (1, 1 << 60)):
        monkeypatch.setattr(archives, "_PARALLEL_FROM", smallest)
        with path.open("rb") as file, archives._ended(archives._decompressed(file)) as content:
            assert (content is not None) == (threads == 2)
        with path.open("rb") as file:
            documents = list(read_archive(file, path.name, LIMIT))
        read_by[threads] = [
            (document.name, document.detail if isinstance(document, FaultyDocument) else document.read())
            for document in documents
        ]
    assert read_by[2] == read_by[1]
    assert len(read_by[1]) > 8


def test_a_decompression_bomb_is_skipped_in_small_pieces():
    bomb = tarfile.TarInfo("bomb.xhtml")
    bomb.size = 200 << 20
    data = io.BytesIO()
    with lzma.open(data, "wb", preset=0) as packed:
        packed.write(bomb.tobuf())
        for _ in range(200):
            packed.write(bytes(1 << 20))
        packed.write(tar(ARTICLES))
    data.seek(0)
    tracemalloc.start()
    documents = list(read_archive(data, "x.tar.xz", LIMIT))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [document.name for document in documents] == ["bomb.xhtml", *ARTICLES]
    assert peak < 20 << 20


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """The header of a member, without the member."""
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("name", ["picture.png", "article.xhtml"])
@pytest.mark.parametrize("size", [2**40, 2**62])
def test_a_member_that_claims_to_be_larger_than_the_archive_ends_it(name, size):
    good, faults = read(tar(ARTICLES)[: 2 * 512 * len(ARTICLES)] + header(name, size) + b"x")
    assert good == ARTICLES
    assert faults["x.tar"] == Reason.BROKEN_ARCHIVE


@pytest.mark.parametrize(
    "kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE]
)
def test_a_name_that_unpacks_to_hundreds_of_megabytes_is_not_read(kind):
    size = 200 << 20
    bomb = io.BytesIO()
    with gzip.open(bomb, "wb", compresslevel=1) as packed:
        packed.write(tar(ARTICLES)[: 2 * 512 * len(ARTICLES)] + header("x", size, kind))
        for _ in range(size >> 20):
            packed.write(bytes(1 << 20))
    tracemalloc.start()
    good, faults = read(bomb.getvalue(), "x.tar.gz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (good, faults) == (ARTICLES, {"x.tar.gz": Reason.BROKEN_ARCHIVE})
    assert peak < 20 << 20


def test_names_of_names_without_end_are_a_fault():
    name = header("x", 10, tarfile.GNUTYPE_LONGNAME) + b"name.xhtml".ljust(512, b"\0")
    assert read(name * 3000) == ({}, {"x.tar": Reason.BROKEN_ARCHIVE})


@pytest.mark.parametrize("rest", [b"", b"\1" * 512 * 5000], ids=["cut off", "without end"])
def test_a_list_of_holes_is_not_read(rest):
    sparse = bytearray(header("holes.xhtml", 512, tarfile.GNUTYPE_SPARSE))
    sparse[482] = 1  # the list goes on in the next block
    sparse[148:156] = b" " * 8
    sparse[148:156] = b"%06o\0 " % sum(sparse)
    assert read(bytes(sparse) + rest) == ({}, {"x.tar": Reason.BROKEN_ARCHIVE})


def test_a_list_of_holes_in_the_newer_form_is_not_read():
    member = tarfile.TarInfo("holes.xhtml")
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "holes.xhtml"}
    member.size = 512
    data = tar([member], format=tarfile.PAX_FORMAT)
    at = data.rindex(bytes(512)) - 512
    assert read(data[:at].rstrip(b"\0") + b"9999999\n" + b"1\n" * 100_000)[1] == {
        "x.tar": Reason.BROKEN_ARCHIVE
    }


def test_notes_for_the_whole_archive_are_not_collected():
    note = tarfile.TarInfo("a.xhtml").create_pax_global_header
    data = b"".join(
        note({f"key{number}": "x" * 50_000}) + header(f"{number}.png", 0) for number in range(400)
    )
    data += tar(ARTICLES)
    tracemalloc.start()
    assert read(data) == (ARTICLES, {})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 << 20


def test_controls_in_the_names_of_members_are_not_passed_on():
    good, faults = read(zipped({"a\x1b[2J\nb.xhtml": b"<p/>", "../\x07.xhtml": b"<p/>"}), "x.zip")
    assert good == {"a\ufffd[2J\ufffdb.xhtml": b"<p/>"}
    assert faults == {"../\ufffd.xhtml": Reason.UNSAFE_MEMBER}


def test_only_the_driver_decompresses_an_archive_whatever_the_number_of_workers(tmp_path, monkeypatch):
    path, opened = tmp_path / "x.tar.bz2", tmp_path / "opened"
    articles = sorted(sample_articles().iterdir())
    path.write_bytes(tar({article.name: article.read_bytes() for article in articles}, "bz2"))
    decompressed = archives._decompressed

    def noted(file):  # workers are forked, so they would note it too
        with opened.open("a") as notes:
            notes.write(f"{os.getpid()}\n")
        return decompressed(file)

    monkeypatch.setattr(archives, "_decompressed", noted)
    monkeypatch.setattr(local, "SMALLEST_BATCH", 1)  # every worker gets articles
    build_release(path, tmp_path / "release", workers=3)
    # Once to see whether there are LaTeX sources, from the first members, and once to read it.
    assert opened.read_text().split() == [str(os.getpid())] * 2
