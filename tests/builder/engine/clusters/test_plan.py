"""The plan and the ranks that follow it: every batch once, the same parts for any number of ranks."""

import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import proofmatch
from proofmatch.builder import build_release
from proofmatch.builder.building import build_parameters
from proofmatch.builder.engine.clusters import plan as planning
from proofmatch.builder.engine.clusters.plan import Plan, make_plan, read_plan, read_shared_plan
from proofmatch.builder.engine.clusters.rank import clear_failures, read_failures, run_rank
from proofmatch.builder.engine.local import cut_into_batches
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.builder.pair_parts import is_complete, read_columns, read_discarded
from proofmatch.builder.readers.archives import PlaceReader
from proofmatch.builder.readers.documents import FileDocument
from proofmatch.builder.readers.sources import read_sources
from proofmatch.builder.settings import BuildSettings
from proofmatch.errors import ProofmatchError
from tests.builder.engine.killing import copy_many_times, start_build, wait_until
from tests.builder.engine.test_determinism import content

SETTINGS = BuildSettings()
LIMIT = SETTINGS.max_document_bytes
LONG = "a/" + 30 * "long" + "/"  # a name that a tar file keeps in a member of its own


def pack(articles: Path, archive: Path) -> Path:
    files = sorted(articles.iterdir())
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.write(file, LONG + file.name)
    else:
        with tarfile.open(archive, "w:gz" if archive.suffix == ".gz" else "w") as packed:
            for file in files:
                packed.add(file, LONG + file.name)
    return archive


@pytest.fixture(scope="module")
def many(articles, tmp_path_factory) -> Path:
    return copy_many_times(articles, tmp_path_factory.mktemp("many") / "articles", 8)


@pytest.fixture
def run(tmp_path):
    folder = RunFolder(tmp_path / "release", is_complete)
    with folder.opened({}):
        yield folder


def plan_of(run: RunFolder, *sources: Path) -> Plan:
    return make_plan(run, [str(source) for source in sources], SETTINGS, {})


def rows(plan: Plan) -> list[list[str]]:
    return [
        read_columns(plan.run.parts / batch.part_name, {"id"})["id"].to_pylist() for batch in plan.batches
    ]


@pytest.mark.parametrize("kind", ["folder", "tar", "zip", "tar.gz"])
def test_the_documents_of_a_plan_are_those_of_the_sources(articles, run, tmp_path, kind):
    source = articles if kind == "folder" else pack(articles, tmp_path / f"articles.{kind}")
    plan = plan_of(run, source)
    wanted = list(cut_into_batches(read_sources([str(source)], LIMIT)))
    with PlaceReader() as places:
        found = [plan.load(batch, places) for batch in plan.batches]
    assert [batch.part_name for batch in found] == [batch.part_name for batch in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert [(d.name, d.stamp, d.read()) for d in one.documents] == [
            (d.name, d.stamp, d.read()) for d in other.documents
        ]
    copied = sum(file.stat().st_size for file in (run.path / "inputs").iterdir())
    assert (copied > 100_000) == (kind == "tar.gz")  # only what cannot be read from its place


def test_documents_known_to_be_bad_stay_so(run, tmp_path):
    with tarfile.open(tmp_path / "bad.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("../escape.xhtml"))
    plan = plan_of(run, tmp_path / "bad.tar")
    assert run_rank(plan, 0, 1, 1) == []
    assert read_discarded(run.parts / plan.batches[0].part_name)["reason"].to_pylist() == ["unsafe-member"]


def test_every_batch_belongs_to_one_rank(many, run):
    plan = plan_of(run, many)
    assert len(plan.batches) > 3
    for world in (1, 2, 3, 50):
        shares = [batch for rank in range(world) for batch in plan.share(rank, world)]
        assert sorted(shares, key=lambda batch: batch.index) == list(plan.batches)


def test_a_rank_lists_no_folder(many, run, tmp_path, monkeypatch):
    source = tmp_path / "articles"
    source.mkdir()
    for article in many.iterdir():
        (source / article.name).hardlink_to(article)
    plan = plan_of(run, source)
    (source / "0.new.xhtml").write_bytes(next(many.iterdir()).read_bytes())
    monkeypatch.setattr("os.walk", lambda *_, **__: pytest.fail("listed"))
    assert run_rank(plan, 0, 1, 1) == []
    assert plan.missing() == []


def test_parts_are_the_same_for_any_number_of_ranks_also_when_it_changes_on_the_way(many, run, tmp_path):
    plan = plan_of(run, many)
    run_rank(plan, 1, 3, 1)
    assert 0 < len(plan.missing()) < len(plan.batches)
    for rank in range(2):
        run_rank(plan, rank, 2, 1)
    assert plan.missing() == []
    whole = RunFolder(tmp_path / "whole", is_complete)
    with whole.opened({}):
        other = plan_of(whole, many)
        run_rank(other, 0, 1, 2)
        assert rows(other) == rows(plan)


def test_the_local_engine_goes_on_where_ranks_have_stopped(many, tmp_path):
    run, parameters = RunFolder(tmp_path / "release", is_complete), build_parameters(SETTINGS, [str(many)])
    with run.opened(parameters):
        plan = make_plan(run, [str(many)], SETTINGS, parameters)
        run_rank(plan, 0, 2, 1)
    done = {path for path in run.parts.iterdir() if path.suffix == ".arrow"}
    for path in done:
        os.utime(path, ns=(0, 0))
    build = start_build(many, tmp_path / "release", workers=1)
    assert wait_until(lambda: len(plan.missing()) < len(plan.batches) - len(done), build)
    kept = {path for path in done if path.stat().st_mtime_ns == 0}
    build.communicate()
    assert build.returncode == 0
    assert kept == done
    assert content(tmp_path / "release") == content(build_release(many, tmp_path / "whole", workers=1))


def test_a_plan_is_taken_up_without_reading_the_sources_again(articles, run, tmp_path, monkeypatch):
    archive = pack(articles, tmp_path / "articles.tar.gz")
    before = plan_of(run, archive)
    monkeypatch.setattr(planning, "read_sources", lambda *_: pytest.fail("read again"))
    assert plan_of(run, archive).batches == before.batches
    assert read_plan(run).batches == before.batches


@pytest.mark.parametrize("damage", ["source", "inputs"])
def test_a_changed_source_or_lost_input_is_planned_again(articles, run, tmp_path, damage):
    archive = pack(articles, tmp_path / "articles.tar.gz")
    before = plan_of(run, archive)
    if damage == "source":
        with tarfile.open(archive, "w:gz") as packed:
            packed.add(articles / "sample.0001.xhtml", "sample.0001.xhtml")
    else:
        next((run.path / "inputs").iterdir()).unlink()
    after = plan_of(run, archive)
    assert (after.batches == before.batches) == (damage == "inputs")
    assert run_rank(after, 0, 1, 1) == []


def test_a_source_replaced_during_the_run_fails_its_batch_and_no_other(many, run):
    plan = plan_of(run, many)
    victim = sorted(many.iterdir())[0]
    status = victim.stat()
    os.utime(victim, ns=(0, 0))
    try:
        (sentence,) = run_rank(plan, 0, 1, 1)
    finally:
        os.utime(victim, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert f"{victim} has changed since the build was planned" in sentence
    assert plan.missing() == [plan.batches[0]]
    assert run_rank(plan_of(run, many), 0, 1, 1) == []
    assert plan.missing() == []


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_an_archive_replaced_during_the_run_is_noticed(articles, run, tmp_path, kind):
    archive = pack(articles, tmp_path / f"articles.{kind}")
    plan = plan_of(run, archive)
    archive.write_bytes(archive.read_bytes()[::-1])
    sentences = run_rank(plan, 0, 1, 1)
    assert len(sentences) == len(plan.batches)
    assert all(str(archive) in sentence for sentence in sentences)


def test_a_source_that_a_machine_does_not_see_is_no_unreadable_document(articles, run, tmp_path):
    moved = copy_many_times(articles, tmp_path / "articles", 1)
    plan = plan_of(run, moved)
    moved.rename(tmp_path / "elsewhere")
    sentences = run_rank(plan, 0, 1, 1)
    assert "must see the sources under the same path" in sentences[0]
    assert plan.missing() == list(plan.batches)


class Deadly(FileDocument):
    def read(self) -> bytes:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("survived")


@dataclass(frozen=True)
class DeadlyPlan:
    """A plan whose first document kills whoever reads it."""

    plan: Plan

    def __getattr__(self, name):
        return getattr(self.plan, name)

    def load(self, batch, places):
        loaded = self.plan.load(batch, places)
        first = loaded.documents[0]
        deadly = Deadly(first.name, first.size, first.stamp, first.path)
        return type(loaded)(loaded.index, loaded.fingerprint, (deadly, *loaded.documents[1:]))


def test_a_document_that_kills_is_found_and_left_out(articles, run):
    plan = plan_of(run, articles)
    assert run_rank(DeadlyPlan(plan), 0, 1, 1) == []
    reasons = [
        reason
        for batch in plan.batches
        for reason in read_discarded(run.parts / batch.part_name)["reason"].to_pylist()
    ]
    assert reasons.count("crashed") == len(plan.batches)
    assert sum(map(len, rows(plan))) > 0


def test_a_machine_that_sees_no_plan_or_is_of_another_version_says_so(articles, run):
    plan = plan_of(run, articles)
    release = run.output
    seen = read_shared_plan(release, plan.configuration, proofmatch.__version__, "n1")
    assert seen.batches == plan.batches
    with pytest.raises(ProofmatchError, match=r"n1 does not see the plan.*all machines share"):
        read_shared_plan(release / "not-mounted", plan.configuration, proofmatch.__version__, "n1")
    with pytest.raises(ProofmatchError, match=r"n1 has proofmatch .* but the driver has 9"):
        read_shared_plan(release, plan.configuration, "9", "n1")


def rank_process(release: Path, plan: Plan, **more) -> subprocess.CompletedProcess[str]:
    module = "proofmatch.builder.engine.clusters.rank"
    words = [str(release), plan.configuration, proofmatch.__version__, "0", "1", "1", str(os.getpid()), "0"]
    return subprocess.run(
        [sys.executable, "-m", module, *words], capture_output=True, text=True, check=False, **more
    )


def test_a_rank_is_a_program_that_says_what_is_wrong(articles, run, tmp_path):
    source = copy_many_times(articles, tmp_path / "articles", 1)
    plan = plan_of(run, source)
    clear_failures(run)
    (source / "copy0.0001.xhtml").unlink()
    failed = rank_process(run.output, plan)
    assert failed.returncode == 1
    assert failed.stderr.strip() in read_failures(run)
    assert "Traceback" not in failed.stderr
    plan = plan_of(run, source)
    assert rank_process(run.output, plan).returncode == 0
    assert plan.missing() == []
    lost = rank_process(tmp_path / "nowhere", plan)
    assert lost.returncode == 2
    assert "does not see the plan" in lost.stderr


def test_a_folder_that_cannot_be_written_is_one_sentence(articles, run):
    plan = plan_of(run, articles)
    clear_failures(run)
    run.parts.rmdir()
    failed = rank_process(run.output, plan)
    assert failed.returncode == 1
    assert "No such file or directory" in failed.stderr
    assert failed.stderr.count("\n") == 1
