"""The Slurm engine, with programs that imitate Slurm's on this machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from proofmatch.builder import build_release
from proofmatch.builder.engine.clusters.rank import clear_failures, write_failure
from proofmatch.builder.engine.clusters.slurm import failure_reasons
from proofmatch.builder.engine.run_folder import RunFolder
from proofmatch.errors import ProofmatchError
from tests.builder.engine.test_determinism import content

pytest.importorskip("datatrove", reason="needs the extra `distributed`")

# What a cluster has, in a few lines each: a queue is a file, and a job array runs at once or not at all.
PROGRAMS = {
    "sbatch": """
for word; do script=$word; done
cp "$script" "$QUEUE/script"
env > "$QUEUE/environment"
if [ -e "$QUEUE/refuse" ]; then echo 'sbatch: error: invalid partition' >&2; exit 1; fi
last=$(sed -n 's/^#SBATCH --array=0-\\([0-9]*\\).*/\\1/p' "$script")
if [ -e "$QUEUE/hold" ]; then echo 'PENDING Priority' > "$QUEUE/17"; else
  for task in $(seq 0 "$last"); do
    [ -e "$QUEUE/lose" ] && [ "$task" = 0 ] && continue
    SLURM_ARRAY_TASK_ID=$task SLURM_NODELIST=here RUN_OFFSET=0 bash "$script" >> "$QUEUE/output" 2>&1
  done
fi
echo '17;cluster'""",
    "srun": 'while [ "${1#-}" != "$1" ]; do [ "$1" = -n ] && shift; shift; done; exec "$@"',
    "scontrol": "echo here",
    "squeue": """
if [ -e "$QUEUE/silent" ]; then echo 'Unable to contact slurm controller' >&2; exit 1; fi
if [ -e "$QUEUE/17" ]; then cat "$QUEUE/17"; else echo 'Invalid job id specified' >&2; exit 1; fi""",
}


@pytest.fixture
def queue(tmp_path, monkeypatch) -> Path:
    programs, folder = tmp_path / "bin", tmp_path / "queue"
    programs.mkdir()
    folder.mkdir()
    for name, text in PROGRAMS.items():
        (programs / name).write_text(f"#!/bin/bash\n{text}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("QUEUE", str(folder))
    return folder


def build(source: Path, release: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proofmatch", "build", str(source), "--out", str(release)]
    return subprocess.run(
        [*command, "--engine", "slurm", "--partition", "short", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_dry_run_prints_the_script_and_submits_nothing(source, queue, tmp_path):
    result = build(
        *(source, tmp_path / "release", "--dry-run", "--tasks", "3", "--workers", "2", "--time", "1:00:00"),
        *("--mem-per-cpu", "4", "--cpus-per-task", "2", "--env-command", "module load python"),
        *("--sbatch", "account=me", "--sbatch", "comment=my proofs"),
    )
    assert result.returncode == 0, result.stderr
    assert not list(queue.iterdir())
    directives = dict(re.findall(r"^#SBATCH --([\w-]+)=?(.*)$", result.stdout, re.MULTILINE))
    wanted = {"array": "0-2%2", "partition": "short", "time": "1:00:00", "mem-per-cpu": "4G"}
    assert wanted.items() <= directives.items()
    assert directives["cpus-per-task"] == "2"
    assert directives["account"] == "me"
    assert directives["comment"] == "'my proofs'"
    assert re.search("^srun --cpus-per-task=2 ", result.stdout, re.MULTILINE)
    assert "qos" not in directives
    assert "\nmodule load python\n" in result.stdout
    assert re.search(r"launch_pickled_pipeline /\S+/release/\.build/launch/executor\.pik\n", result.stdout)
    assert subprocess.run(["bash", "-n"], input=result.stdout, text=True, check=False).returncode == 0
    assert "datatrove" not in result.stderr


def test_a_job_makes_the_parts_and_the_next_those_of_a_lost_task(source, expected, queue, tmp_path):
    release = tmp_path / "release"
    (queue / "lose").touch()
    first = build(source, release, "--tasks", "2")
    assert first.returncode == 0, first.stderr
    assert "Slurm job 17 is submitted" in first.stdout
    assert not (release / "manifest.json").exists()
    assert "set -xe" in (queue / "script").read_text()
    (queue / "lose").unlink()
    assert "is submitted" in build(source, release, "--tasks", "1").stdout
    last = build(source, release)
    assert last.returncode == 0, last.stderr + (queue / "output").read_text()
    assert "is complete" in last.stdout
    assert content(release) == expected


def test_a_folder_with_a_waiting_job_is_left_alone(source, queue, tmp_path):
    release = tmp_path / "release"
    (queue / "hold").touch()
    assert build(source, release).returncode == 0
    again = build(source, release)
    assert again.returncode == 1
    assert "has not ended" in again.stderr
    with pytest.raises(ProofmatchError, match=r"Slurm job 17 for .* has not ended"):
        build_release(source, release)
    status = [sys.executable, "-m", "proofmatch", "build", "--status", "--out", str(release)]
    said = subprocess.run(status, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "job 17, 1 pending (Priority)" in said.stdout
    assert "running" in said.stdout


def test_a_slurm_that_does_not_answer_is_not_taken_for_one_without_the_job(source, queue, tmp_path):
    release = tmp_path / "release"
    (queue / "hold").touch()
    assert build(source, release).returncode == 0
    (queue / "silent").touch()
    with pytest.raises(ProofmatchError, match=r"job 17 is running \(Unable to contact .* again later"):
        build_release(source, release)


def test_memory_of_the_whole_task_replaces_that_per_cpu(source, queue, tmp_path):
    result = build(source, tmp_path / "release", "--dry-run", "--sbatch", "mem=3G")
    assert "#SBATCH --mem=3G" in result.stdout
    assert "mem-per-cpu" not in result.stdout
    assert not list(queue.iterdir())


def test_a_job_submitted_within_another_is_not_bound_to_its_cpus(source, queue, tmp_path, monkeypatch):
    for name in ("SLURM_JOB_ID", "SLURM_CPU_BIND", "SLURM_CONF"):
        monkeypatch.setenv(name, "1")
    (queue / "hold").touch()
    assert build(source, tmp_path / "release").returncode == 0
    handed_down = (queue / "environment").read_text()
    assert "SLURM_CPU_BIND" not in handed_down
    assert "SLURM_CONF=1" in handed_down


@pytest.mark.usefixtures("queue")
def test_modules_and_a_virtual_environment_go_together(source, tmp_path):
    words = ("--dry-run", "--env-command", "module load python", "--venv", sys.prefix)
    script = build(source, tmp_path / "release", *words).stdout
    assert f"\nmodule load python; source {sys.prefix}/bin/activate || exit 1\n" in script


@pytest.mark.usefixtures("queue")
def test_a_folder_that_is_no_virtual_environment_is_refused(source, tmp_path):
    result = build(source, tmp_path / "release", "--venv", str(tmp_path))
    assert result.returncode == 2
    assert "it has no bin/activate" in result.stderr


def test_a_refusal_of_slurm_is_passed_on(source, queue, tmp_path):
    (queue / "refuse").touch()
    result = build(source, tmp_path / "release")
    assert result.returncode == 2
    assert "sbatch refused the job (invalid partition); check --partition" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("name", ["my release", "100%release"])
def test_a_path_that_scripts_do_not_bear_is_refused(source, tmp_path, name):
    result = build(source, tmp_path / name)
    assert result.returncode == 2
    assert "choose another path" in result.stderr


# Logs as Slurm 22.05 and datatrove write them.
SHELL = "+ export PYTHONUNBUFFERED=TRUE\n+ srun -l -n 1 launch_pickled_pipeline /error/executor.pik\n"
AT_WORK = "0: 2026-11-16 23:13:27.763 | INFO | datatrove.utils.logging - Launching pipeline for rank=0\n"


@pytest.fixture
def failed_run(tmp_path) -> RunFolder:
    run = RunFolder(tmp_path)
    (run.path / "launch" / "slurm_logs").mkdir(parents=True)
    clear_failures(run)
    return run


def log(run: RunFolder, task: str, text: str) -> None:
    (run.path / "launch" / "slurm_logs" / f"{task}.out").write_text(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "/spool/job00010/slurm_script: line 13: /old/bin/activate: No such file or directory\n",
            "/old/bin/activate: No such file or directory; check --venv or --env-command",
        ),
        (
            SHELL + "0: slurmstepd-n1: error: execve(): launch_pickled_pipeline: No such file or directory\n"
            "srun: error: n1: task 0: Exited with exit code 2\n",
            "slurmstepd-n1: error: execve(): launch_pickled_pipeline: No such file or directory; "
            "check --venv or --env-command",
        ),
        (
            SHELL + "0: ModuleNotFoundError: No module named 'proofmatch'\nsrun: error: n1: task 0: Exited\n",
            "ModuleNotFoundError: No module named 'proofmatch'; check --venv or --env-command",
        ),
        (
            AT_WORK + "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 23:11:54 DUE TO TIME LIMIT ***\n"
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n",
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 23:11:54 DUE TO TIME LIMIT ***; "
            "raise --time or --tasks",
        ),
        (
            AT_WORK + "srun: error: n1: task 0: Killed\nsrun: Force Terminated StepId=6.0\n",
            "srun: error: n1: task 0: Killed",
        ),
    ],
    ids=["no environment", "no program", "no package", "no time left", "killed"],
)
def test_the_line_that_tells_why_is_found(failed_run, text, reason):
    log(failed_run, "7_0", text)
    assert failure_reasons(failed_run) == [f"task 7_0: {reason}"]


def test_tasks_that_are_at_work_or_done_say_nothing(failed_run):
    log(failed_run, "7_0", SHELL + AT_WORK)
    assert failure_reasons(failed_run) == []


def test_many_tasks_of_one_fate_are_one_sentence(failed_run):
    for task in range(3):
        log(failed_run, f"7_{task}", f"slurmstepd: error: *** STEP {task}.0 ON n{task} CANCELLED ***\n")
    assert failure_reasons(failed_run) == [
        "task 7_0: slurmstepd: error: *** STEP 0.0 ON n0 CANCELLED *** (and 2 more like this)"
    ]


def test_what_ranks_say_themselves_goes_before_their_logs(failed_run):
    log(failed_run, "7_0", "0: RuntimeError: the source is gone\n")
    write_failure(failed_run, "rank-00000", "the source is gone")
    assert failure_reasons(failed_run) == ["the source is gone"]
