"""What tasks that never began have left in Slurm's logs, as Slurm 22.05 and datatrove write them."""

import pytest

from proofmatch.builder.engine.distributed.failures import clear_failures, note_failure
from proofmatch.builder.engine.distributed.job_log import reasons_of_failure
from proofmatch.builder.engine.run_folder import RunFolder

SHELL = "+ export PYTHONUNBUFFERED=TRUE\n+ srun -l -n 1 launch_pickled_pipeline /error/executor.pik\n"
AT_WORK = "0: 2026-11-16 23:13:27.763 | INFO | datatrove.utils.logging - Launching pipeline for rank=0\n"


@pytest.fixture
def run(tmp_path) -> RunFolder:
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
def test_the_line_that_tells_why_is_found(run, text, reason):
    log(run, "7_0", text)
    assert reasons_of_failure(run) == [f"task 7_0: {reason}"]


def test_tasks_that_are_at_work_or_done_say_nothing(run):
    log(run, "7_0", SHELL + AT_WORK)
    assert reasons_of_failure(run) == []


def test_many_tasks_of_one_fate_are_one_sentence(run):
    for task in range(3):
        log(run, f"7_{task}", f"slurmstepd: error: *** STEP {task}.0 ON n{task} CANCELLED ***\n")
    assert reasons_of_failure(run) == [
        "task 7_0: slurmstepd: error: *** STEP 0.0 ON n0 CANCELLED *** (and 2 more in the same way)"
    ]


def test_what_ranks_say_themselves_goes_before_their_logs(run):
    log(run, "7_0", "0: RuntimeError: the source is gone\n")
    note_failure(run, "rank-00000", "the source is gone")
    assert reasons_of_failure(run) == ["the source is gone"]
