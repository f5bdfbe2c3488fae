"""`proofmatch build --status`, and options that do not go together."""

import importlib.util
import json

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.engine.clusters.plan import configuration_hash, make_plan
from proofmatch.builder.engine.clusters.rank import run_rank
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.builder.pair_parts import is_complete
from proofmatch.builder.settings import BuildSettings, Cluster
from proofmatch.builder.status import status_of
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from tests.builder.engine.killing import copy_many_times, kill, start_build, wait_until


def test_a_finished_release_is_complete(release, capsys):
    assert main(["build", "--status", "--out", str(release)]) == 0
    parameters = json.loads((release / "manifest.json").read_text())["parameters"]
    said = capsys.readouterr().out
    assert configuration_hash(parameters) in said
    assert said.splitlines()[-1].split() == ["state", "complete"]


def test_a_running_and_an_interrupted_local_build_are_told_apart(articles, tmp_path, capsys):
    source, out = copy_many_times(articles, tmp_path / "articles", 8), tmp_path / "release"
    build = start_build(source, out, workers=1)
    assert wait_until(lambda: any((out / ".build" / "parts").glob("*.arrow")), build)
    running = status_of(out)
    kill(build.pid)
    build.wait()
    assert running.running
    assert running.planned is None  # the local engine reads as it goes
    assert main(["build", "--out", str(out), "--status"]) == 1
    said = capsys.readouterr().out
    assert "interrupted; run the same command again to continue" in said
    after = status_of(out)
    assert not after.running
    assert after.done >= 1
    assert after.report.documents > 0


def test_a_planned_build_knows_what_is_missing(articles, tmp_path):
    source, run = (
        copy_many_times(articles, tmp_path / "articles", 8),
        RunFolder(tmp_path / "release", is_complete),
    )
    with run.opened({"made_by": "build"}):
        plan = make_plan(run, [str(source)], BuildSettings(), {"made_by": "build"})
        run_rank(plan, 0, 2, 1)
    status = status_of(tmp_path / "release")
    assert status.planned == len(plan.batches)
    assert status.configuration == plan.configuration
    assert list(status.missing) == [batch.part_name for batch in plan.share(1, 2)]
    assert f"{len(status.missing)} missing ({status.missing[0]}" in str(status)


def test_a_folder_without_a_build_is_an_error(tmp_path, capsys):
    assert main(["build", "--status", "--out", str(tmp_path)]) == 2
    assert "has no build" in capsys.readouterr().err


def test_sources_may_be_left_out_with_status_only(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["build", "--out", str(tmp_path)])
    assert "SOURCE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--tasks", "3"], "--tasks is an option of --engine ray and slurm"),
        (["--engine", "ray", "--partition", "x"], "--partition is an option of --engine slurm"),
        (["--engine", "ray", "--dry-run"], "--dry-run is an option of --engine slurm"),
        (["--engine", "slurm", "--ray-address", "x"], "--ray-address is an option of --engine ray"),
    ],
)
def test_options_of_other_engines_are_refused(articles, tmp_path, capsys, words, sentence):
    assert main(["build", str(articles), "--out", str(tmp_path / "release"), *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"tasks": 0}, "tasks must be at least 1"),
        ({"tasks": 1001}, "tasks must be at most 1000"),
        ({"mem_per_cpu": 0}, "mem_per_cpu must be at least 1"),
        ({"sbatch": ("account",)}, "name=value"),
    ],
)
def test_impossible_clusters_are_refused(settings, sentence):
    with pytest.raises(ProofmatchError, match=sentence):
        Cluster(**settings)


@pytest.mark.parametrize(("missing", "workers", "tasks"), [(1, 8, 1), (100, 8, 8), (100_000, 8, 250)])
def test_tasks_keep_busy_for_minutes(missing, workers, tasks):
    assert Cluster().number_of_tasks(missing, workers) == tasks


@pytest.mark.parametrize(
    ("engine", "package"), [("ray", "datatrove"), ("ray", "ray"), ("slurm", "datatrove")]
)
def test_a_missing_extra_is_one_sentence(articles, tmp_path, monkeypatch, capsys, engine, package):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "proofmatch.builder.engine.clusters.driver.find_spec",
        lambda name: None if name == package else find(name),
    )
    command = ["build", str(articles), "--out", str(tmp_path / "release"), "--engine", engine]
    assert main([*command, "--partition", "x"] if engine == "slurm" else command) == 2
    error = capsys.readouterr().err
    assert package in error
    assert "pip install 'proofmatch[distributed]'" in error
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize("engine", ["ray", "slurm"])
def test_sources_without_an_article_leave_nothing_behind(tmp_path, monkeypatch, capsys, engine):
    monkeypatch.setattr("proofmatch.builder.engine.clusters.driver.find_spec", lambda _: True)
    (tmp_path / "empty").mkdir()
    command = ["build", str(tmp_path / "empty"), "--out", str(tmp_path / "release"), "--engine", engine]
    assert main([*command, "--partition", "x"] if engine == "slurm" else command) == 2
    assert "no article (.xhtml, .html, .tex) can be read" in capsys.readouterr().err
    assert not (tmp_path / "release" / ".build").exists()


def test_an_unknown_engine_is_refused(articles, tmp_path):
    with pytest.raises(ProofmatchError, match="engine must be one of local, ray, slurm"):
        build_release(articles, tmp_path / "release", engine="spark")
