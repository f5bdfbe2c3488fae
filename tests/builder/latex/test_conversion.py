"""LaTeX sources become pairs, like XHTML; none is converted twice; each failure has its reason."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from proofmatch.builder import build_release
from proofmatch.builder.engine.clusters.plan import make_plan, read_plan
from proofmatch.builder.engine.clusters.rank import run_rank
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.builder.latex.conversion import LatexConverter, last_message, local_latexml
from proofmatch.builder.pair_parts import is_complete
from proofmatch.builder.reasons import DocumentError, Reason
from proofmatch.builder.sample import sample_articles
from proofmatch.builder.settings import BuildSettings
from tests.builder.latex.texts import article, eprint, needs_latexml, tar_of, theorem

SOURCES = sample_articles().parent / "latex"
# The smallest of the sample; the last one is shipped with content MathML.
STEMS = ("functors", "two-squares", "convexity")


def pairs_of(release: Path) -> list[dict]:
    return [row for path in release.glob("data/pairs/*.parquet") for row in pq.read_table(path).to_pylist()]


def discarded(release: Path) -> dict[str, tuple[str, str]]:
    rows = pq.read_table(release / "discarded.parquet").to_pylist()
    return {row["article_id"]: (row["reason"], row["detail"]) for row in rows}


def state_of(cache: Path) -> dict[Path, int]:
    # Not those that are still being written, which are hidden.
    return {path: path.stat().st_mtime_ns for path in cache.glob("*/[!.]*")}


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the conversions of all tests of this file are kept."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="session")
def from_folder(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    for stem in STEMS:
        (folder / f"{stem}.tex").write_bytes((SOURCES / f"{stem}.tex").read_bytes())
    out = tmp_path_factory.mktemp("built") / "from-folder"
    return build_release(folder, out, workers=2, conversions=kept)


@needs_latexml
def test_sources_give_the_pairs_of_the_shipped_xhtml(from_folder, release):
    catalogue = json.loads((SOURCES.parent / "catalogue.json").read_text())
    ids = {entry["stem"]: entry["id"] for entry in catalogue}
    styles = {entry["stem"]: entry["style"] for entry in catalogue}
    columns = ("kind", "statement", "proof", "statement_tokens", "proof_tokens")
    for stem in STEMS:
        ours, shipped = (
            sorted(
                [row[column] for column in columns] for row in pairs_of(place) if row["article_id"] == name
            )
            for place, name in ((from_folder, stem), (release, ids[stem]))
        )
        assert len(ours) > 5
        if styles[stem] == "content":
            # Content MathML has other tokens: no brackets of the author's, other invisible operators.
            ours, shipped = ([row[:3] for row in rows] for rows in (ours, shipped))
        assert ours == shipped
    assert json.loads((from_folder / "manifest.json").read_text())["parameters"]["latexml"]


@needs_latexml
def test_eprints_and_single_files_give_the_same_and_convert_nothing_again(from_folder, kept, tmp_path):
    texts = {stem: (SOURCES / f"{stem}.tex").read_bytes() for stem in STEMS}
    bulk = tmp_path / "bulk.tar"
    members = {f"0704/{stem}.tex.gz": gzip.compress(text) for stem, text in texts.items()}
    bulk.write_bytes(tar_of({**members, "0704/0704.0009.pdf": b"%PDF-1.4"}))
    before = state_of(kept)
    packed = build_release(bulk, tmp_path / "packed", workers=1, conversions=kept)
    files = [SOURCES / f"{stem}.tex" for stem in STEMS[:2]]
    single = build_release(files, tmp_path / "single", workers=1, conversions=kept)
    assert state_of(kept) == before
    assert sorted(row["id"] for row in pairs_of(packed)) == sorted(row["id"] for row in pairs_of(from_folder))
    wanted = sorted(row["id"] for row in pairs_of(from_folder) if row["article_id"] in STEMS[:2])
    assert sorted(row["id"] for row in pairs_of(single)) == wanted
    assert discarded(packed)["0704.0009"][0] == Reason.NOT_LATEX


@needs_latexml
def test_an_eprint_of_several_files_is_one_article_beside_articles_in_xhtml(articles, kept, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "sample.0001.xhtml").write_bytes((articles / "sample.0001.xhtml").read_bytes())
    files = {
        "ms.tex": article("\\input{sections/one} \\result"),
        "sections/one.tex": theorem("See \\cite{noether}."),
        "own.sty": "\\def\\result{Done.}",
        "ms.bbl": "\\begin{thebibliography}{1}\\bibitem{noether} E. Noether\\end{thebibliography}",
        "old.tex": article("nothing"),
    }
    files["ms.tex"] = files["ms.tex"].replace("\\newtheorem", "\\usepackage{own}\\newtheorem", 1)
    (folder / "0704.0001.tar.gz").write_bytes(eprint(files))
    (folder / "0704.0002.gz").write_bytes(gzip.compress(b"%PDF-1.4"))
    release = build_release(folder, tmp_path / "release", workers=1, conversions=kept)
    assert {row["article_id"] for row in pairs_of(release)} == {"0704.0001", "sample.0001"}
    assert discarded(release)["0704.0002"] == ("not-latex", "0704.0002.gz: a PDF")


@needs_latexml
@pytest.mark.parametrize(
    ("text", "settings", "reason", "words"),
    [
        (article("\\loop\\iftrue\\repeat"), {"conversion_seconds": 2}, Reason.CONVERSION_TIMEOUT, "2 s"),
        (article(), {"conversion_mb": 100}, Reason.CONVERSION_MEMORY, "100 MB"),
        (article("\\input{source}"), {}, Reason.CONVERSION_FAILED, "Fatal:"),
    ],
)
def test_failures_have_reasons_and_are_kept(tmp_path, text, settings, reason, words):
    latexml = local_latexml(tmp_path / "kept")
    converter = LatexConverter(latexml, BuildSettings(**settings), tmp_path / "scratch")
    for _ in range(2):
        with pytest.raises(DocumentError) as caught:
            converter.convert(text.encode(), "a.tex")
        assert caught.value.reason is reason
        assert words in caught.value.detail
        assert str(tmp_path) not in caught.value.detail
        kept = state_of(tmp_path / "kept")
        assert len(kept) == 1
    assert not list((tmp_path / "scratch").iterdir())


@needs_latexml
def test_a_damaged_conversion_is_made_again(tmp_path):
    converter = LatexConverter(local_latexml(tmp_path / "kept"), BuildSettings(), tmp_path / "scratch")
    first = converter.convert(article().encode(), "a.tex")
    (path,) = state_of(tmp_path / "kept")
    path.write_bytes(path.read_bytes()[:100])
    assert converter.convert(article().encode(), "b/c.tex.gz") == first
    assert gzip.decompress(path.read_bytes()) == first


@needs_latexml
def test_a_killed_build_leaves_no_process_and_its_conversions_are_used(tmp_path):
    for number in range(4):
        body = theorem() + (theorem() * number if number < 3 else "\\loop\\iftrue\\repeat")
        (tmp_path / "sources").mkdir(exist_ok=True)
        (tmp_path / "sources" / f"a{number}.tex").write_text(article(body))
    kept = tmp_path / "kept"
    command = [sys.executable, "-m", "proofmatch", "build", str(tmp_path / "sources"), "--workers", "1"]
    command += ["--out", str(tmp_path / "release"), "--conversions", str(kept)]
    build = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(state_of(kept)) < 3 and build.poll() is None:
        time.sleep(0.05)
    build.send_signal(signal.SIGKILL)
    build.wait()
    deadline = time.monotonic() + 30
    while running(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(tmp_path) == []
    before = state_of(kept)
    (tmp_path / "sources" / "a3.tex").unlink()
    release = build_release(tmp_path / "sources", tmp_path / "other", conversions=kept, workers=1)
    assert state_of(kept) == before
    assert len(pairs_of(release)) == 6


def running(folder: Path) -> list[str]:
    commands = []
    for process in psutil.process_iter():
        try:
            command = " ".join(process.cmdline())
        except psutil.Error:
            continue
        if str(folder) in command and "latexmlc" in command:
            commands.append(command)
    return commands


@needs_latexml
def test_a_cluster_converts_by_its_plan(tmp_path, kept):
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "main.tex").write_text(article("\\input{part}"))
    (folder / "part.tex").write_text(theorem())
    run, settings = RunFolder(tmp_path / "release", is_complete), BuildSettings()
    with run.opened({}):
        make_plan(run, [str(folder)], settings, {}, local_latexml(kept))
        plan = read_plan(run)
        assert plan is not None and plan.latexml == local_latexml(kept)
        assert run_rank(plan, 0, 1, 1) == []
        assert plan.missing() == []
        (folder / "part.tex").write_text("changed")
        (run.parts / plan.batches[0].part_name).unlink()
        assert "has changed" in run_rank(plan, 0, 1, 1)[0]


def test_without_latexml_the_build_says_so_before_it_begins(tmp_path):
    (tmp_path / "a.tex").write_text(article())
    build = subprocess.run(
        [
            sys.executable,
            "-m",
            "proofmatch",
            "build",
            str(tmp_path / "a.tex"),
            "--out",
            str(tmp_path / "release"),
        ],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 2
    assert "`latexml`" in build.stderr and build.stderr.count("\n") == 1
    assert not (tmp_path / "release").exists()


def test_the_last_message_is_one_line_without_folders():
    log = "Error:a:b first\nFatal:timeout:x in /home/ada/.build/source/main.tex; line 3\n\tdetail\nok\n"
    message = last_message(log)
    assert message.startswith("Fatal:timeout:x in main.tex; line 3")
    assert "\n" not in message
