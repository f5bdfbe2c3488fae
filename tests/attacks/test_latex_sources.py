"""LaTeX sources that try to read, write, run or fetch what they must not, or never end: none succeeds.

All hostile e-prints are one bulk tar, as arXiv's are, and one build; each test looks at one of them.
"""

import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.latex import wall
from proofmatch.builder.reasons import Reason
from proofmatch.errors import ProofmatchError
from tests.builder.latex.texts import article, eprint, needs_latexml, tar_of, theorem

pytestmark = needs_latexml

SECRET = "swordfish" * 3


def link(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def perl(outside: Path) -> str:
    """Perl code that reads the secret and writes a file."""
    return (
        "package LaTeXML::Package::Pool; use LaTeXML::Package; "
        f"CORE::open(my $o, '>', '{outside}/written-by-perl'); print $o 'x'; close $o; "
        f"CORE::open(my $i, '<', '{outside}/secret.tex'); my $s = <$i>; "
        "DefMacro('\\stolen', $s); 1;\n"
    )


def reading(outside: Path, url: str) -> dict[str, dict[str, str | bytes | tarfile.TarInfo]]:
    """Sources with one honest pair each, in whose proof they try to get the secret."""
    secret = outside / "secret.tex"
    up = "../" * 5  # from the folder of a conversion to the one with the release

    def proof(body: str, preamble: str = "") -> dict[str, str | bytes | tarfile.TarInfo]:
        return {"main.tex": article(theorem(body), preamble)}

    stolen = "\\csname stolen\\endcsname"
    return {
        "input-absolute": proof(f"\\input{{{secret}}}"),
        "input-primitive": proof(f"\\csname @@input\\endcsname {secret} "),
        "input-quoted": proof(f'\\input{{"{secret}"}}'),
        "input-parent": proof(f"\\input{{{up}secret}} \\include{{{up}secret}}"),
        "input-through-own-folder": proof(f"\\input{{./x/../{up}secret.tex}}") | {"x/y.tex": "y"},
        "openin": proof(
            f"\\newread\\f \\openin\\f={secret} \\ifeof\\f\\else\\read\\f to\\stolenline \\stolenline\\fi"
        ),
        "if-file-exists": proof(f"\\IfFileExists{{{secret}}}{{{SECRET}}}{{}}"),
        "listing": proof(f"\\lstinputlisting{{{secret}}}", "\\usepackage{listings}"),
        "verbatim": proof(f"\\verbatiminput{{{secret}}}", "\\usepackage{verbatim}"),
        "import": proof(
            f"\\import{{{outside}/}}{{secret}} \\subimport{{{up}}}{{secret}}", "\\usepackage{import}"
        ),
        "package": proof(stolen, f"\\usepackage{{{outside}/style}} \\usepackage{{{up}style}}"),
        "class": {"main.tex": article(theorem(stolen)).replace("{article}", f"{{{outside}/style}}", 1)},
        "bibliography": proof(f"\\cite{{stolen}} \\bibliography{{{outside}/secret}}"),
        "home": proof("\\input{~/secret} \\input{$HOME/secret}"),
        "pipe": proof(f'\\input|"cat {secret}" \\openin5=|"cat {secret}"'),
        "devices": proof("\\input{/proc/self/environ} \\input{/dev/stdin} \\input{/dev/fd/3}"),
        "url": proof(f"\\input{{{url}/secret.tex}} \\usepackage{{{url}/secret.sty}}"),
        "file-url": proof(f"\\input{{file://{secret}}} \\input{{literal:\\input{{{secret}}}}}"),
        "binding": proof(stolen, "\\usepackage{evil}") | {"evil.sty.ltxml": perl(outside)},
        "binding-of-main": proof(stolen) | {"main.latexml": perl(outside), "main.tex.ltxml": perl(outside)},
        "binding-in-other-case": proof(stolen, "\\usepackage{evil}") | {"EVIL.STY.LTXML": perl(outside)},
        "binding-of-filecontents": {
            "main.tex": f"\\begin{{filecontents}}{{evil.sty.ltxml}}\n{perl(outside)}\\end{{filecontents}}\n"
            + article(theorem(stolen), "\\usepackage{evil}")
        },
        "perl-in-arithmetic": proof(
            f"\\input{{pgfmath.code.tex}}\\csname pgfmathparse\\endcsname"
            f"{{CORE::open(my $f,'<','{secret}') && <$f>}}\\csname pgfmathresult\\endcsname"
            f"\\csname pgfmathparse\\endcsname{{system('touch {outside}/written-by-perl')}}"
        ),
        "symbolic-link": proof("\\input{linked}")
        | {"linked.tex": link("linked.tex", str(secret), tarfile.SYMTYPE)},
        "hard-link": proof("\\input{linked}")
        | {"linked.tex": link("linked.tex", str(secret), tarfile.LNKTYPE)},
        "link-to-folder": proof("\\input{d/secret}")
        | {"d": link("d", str(outside), tarfile.SYMTYPE), "d/new.tex": "written"},
        "writing": proof(
            f"\\newwrite\\w \\immediate\\openout\\w={outside}/written.tex \\immediate\\write\\w{{x}}"
            f"\\immediate\\write18{{touch {outside}/written-by-shell}}"
            f"\\begin{{filecontents*}}{{{outside}/written-contents.tex}}\nx\n\\end{{filecontents*}}\n"
        ),
        "members-elsewhere": proof("") | {"../../escaped.tex": "x", f"{outside}/escaped.tex": "x"},
    }


# Sources that would never end, or fill the machine, and what becomes of them.
ENDLESS = {
    "macro-loop": article("\\def\\x{\\x}\\x"),
    "loop": article("\\newcount\\n \\loop\\advance\\n by1 \\iftrue\\repeat"),
    "exponential": article(
        "\\def\\a{xxxxxxxxxx}"
        + "".join("\\edef\\a{\\a\\a\\a\\a\\a\\a\\a\\a\\a\\a}" for _ in range(12))
        + "\\a"
    ),
    "input-of-itself": article("\\input{source}"),
    "growing-list": article("\\def\\a{x}\\def\\b{\\edef\\a{\\a\\a}\\b}\\b"),
}


@dataclass(frozen=True)
class Outcome:
    outside: Path
    release: Path
    proofs: dict[str, str]
    reasons: dict[str, str]
    details: dict[str, str]
    requests: list[str]
    left: list[psutil.Process]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outcome]:
    outside = tmp_path_factory.mktemp("outside")
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(SECRET.encode())

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        (outside / "secret.tex").write_text(SECRET + "\n")
        for name in ("style.sty", "style.cls"):
            (outside / name).write_text(f"\\def\\stolen{{{SECRET}}}\n")
        (outside / "secret.bib").write_text(f"@misc{{stolen, title={{{SECRET}}}, author={{{SECRET}, A.}}}}\n")
        hostile = reading(outside, f"http://127.0.0.1:{server.server_port}")
        members = {f"hostile/{name}.tar.gz": eprint(files) for name, files in hostile.items()}
        members |= {f"hostile/{name}.tex.gz": eprint({"source.tex": text}) for name, text in ENDLESS.items()}
        bulk = outside / "bulk.tar"
        bulk.write_bytes(tar_of(members))
        release = build_release(
            bulk,
            outside / "release",
            workers=2,
            conversions=outside / "conversions",
            conversion_seconds=4,
            conversion_mb=400,
        )
        server.shutdown()
    rows = [row for path in release.glob("data/pairs/*.parquet") for row in pq.read_table(path).to_pylist()]
    discarded = pq.read_table(release / "discarded.parquet").to_pylist()
    here = str(outside)
    left = [process for process in psutil.process_iter() if here in " ".join(_command(process))]
    yield Outcome(
        outside,
        release,
        {row["article_id"]: row["proof"] for row in rows},
        {row["article_id"]: row["reason"] for row in discarded},
        {row["article_id"]: row["detail"] for row in discarded},
        requests,
        left,
    )


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


HOSTILE = list(reading(Path("/outside"), "http://localhost"))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_source_gets_nothing_from_outside(outcome, name):
    # It was converted, not just refused: an honest article that does the same by accident is not lost.
    if name != "class":
        assert "which proves the claim" in outcome.proofs[name]
    assert SECRET not in outcome.proofs.get(name, "")


def test_no_file_of_the_release_has_a_byte_of_it(outcome):
    for path in outcome.release.rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes()
    tables = [*outcome.release.rglob("*.parquet")]
    assert tables
    for path in tables:
        text = str(pq.read_table(path).to_pylist())
        assert SECRET not in text
        assert str(outcome.release) not in text


def test_nothing_is_written_and_nothing_fetched(outcome):
    expected = {"secret.tex", "secret.bib", "style.sty", "style.cls", "bulk.tar", "release", "conversions"}
    assert {path.name for path in outcome.outside.iterdir()} == expected
    assert not (outcome.release / ".build").exists()
    assert outcome.requests == []
    assert outcome.left == []


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_ends_at_the_limits(outcome, name):
    limits = (Reason.CONVERSION_TIMEOUT, Reason.CONVERSION_MEMORY, Reason.CONVERSION_FAILED)
    # LaTeXML notices some by itself and goes on.
    assert outcome.reasons[name] in (*limits, Reason.NO_PAIRS)
    assert len(outcome.details[name]) < 400
    assert str(outcome.outside) not in outcome.details[name]


def test_thousands_of_files_and_giant_ones_are_refused_unconverted(tmp_path):
    honest = article()
    many = {"main.tex": honest} | {f"part{number}.tex": "x" for number in range(3000)}
    members = {
        "many.tar.gz": eprint(many),
        "giant.tar.gz": eprint({"main.tex": honest, "part.tex": b"x" * (3 << 20)}),
        "honest.tar.gz": eprint({"main.tex": honest}),
    }
    (tmp_path / "bulk.tar").write_bytes(tar_of(members))
    release = build_release(
        tmp_path / "bulk.tar",
        tmp_path / "release",
        workers=1,
        conversions=tmp_path / "kept",
        max_document_mb=2,
    )
    rows = pq.read_table(release / "discarded.parquet").to_pylist()
    assert {row["article_id"]: row["reason"] for row in rows} == {"many": "too-large", "giant": "too-large"}


def test_a_folder_gives_its_tex_files_and_no_links_out_of_it(tmp_path):
    (tmp_path / "secret.tex").write_text(SECRET)
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "main.tex").write_text(article(theorem("\\input{linked} \\input{notes.txt} \\input{id_rsa}")))
    for name in ("notes.txt", "id_rsa"):  # files of the folder's owner that are not TeX
        (folder / name).write_text(SECRET)
    (folder / "linked.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "folder").symlink_to(tmp_path)
    release = build_release(folder, tmp_path / "release", workers=1, conversions=tmp_path / "kept")
    assert SECRET not in str([pq.read_table(path).to_pylist() for path in release.rglob("*.parquet")])


def without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofmatch.builder.latex.landlock.landlock_version", lambda: 0)


def without_module(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    folder.mkdir()
    (folder / "ProofmatchWall.pm").write_text("package ProofmatchWall; 1;\n")
    monkeypatch.setattr(wall, "__file__", str(folder / "wall.py"))


def test_each_wall_holds_alone(monkeypatch, tmp_path):
    from proofmatch.builder.latex.landlock import landlock_version

    options = ("--format=xhtml", "--nodefaultresources")
    with monkeypatch.context() as without:
        without_landlock(without)
        wall.prove_wall(tmp_path / "proof", options)
    if not landlock_version():
        pytest.skip("the kernel has no Landlock")
    with monkeypatch.context() as without:
        without_module(without, tmp_path / "module")
        wall.prove_wall(tmp_path / "proof", options)


def test_without_a_wall_nothing_is_converted(monkeypatch, tmp_path):
    without_landlock(monkeypatch)
    without_module(monkeypatch, tmp_path / "module")
    (tmp_path / "article.tex").write_text(article())
    with pytest.raises(ProofmatchError, match="outside its own folder"):
        build_release(tmp_path / "article.tex", tmp_path / "release", conversions=tmp_path / "kept")
    assert not list((tmp_path / "kept").iterdir())
    assert not (tmp_path / "release" / ".build").exists()
