"""SIGTERM, as `timeout`, systemd and batch systems send it: nothing is lost, and no process is left behind.

SIGKILL at the same moments is in `tests/builder/engine/test_kill.py` and
`tests/training/trainer/test_resume.py`, and at others in the campaign of `make faults`.
"""

import signal

import psutil
import pyarrow.parquet as pq
import pytest

from tests.builder.engine.killing import start_build, wait_until, workers_of
from tests.builder.engine.test_determinism import content
from tests.faults.errands import train_command, trained
from tests.training.trainer.kill_points import before_step
from tests.training.trainer.running import run


@pytest.mark.parametrize("who", ["driver", "everybody"])
def test_a_terminated_build_goes_on_where_it_stopped(source, expected, tmp_path, who):
    release = tmp_path / "release"
    build = start_build(source, release)
    assert wait_until(lambda: any((release / ".build" / "parts").glob("*.arrow")), build)
    workers = workers_of(build)
    for process in (*(workers if who == "everybody" else ()), build):
        process.send_signal(signal.SIGTERM)
    build.communicate()
    assert build.returncode == -signal.SIGTERM
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert not alive
    again = start_build(source, release)
    _, said = again.communicate()
    assert again.returncode == 0, said
    assert content(release) == expected
    assert not (release / ".build").exists()


def test_a_terminated_worker_is_replaced_and_its_work_done_again(source, expected, tmp_path):
    release = tmp_path / "release"
    build = start_build(source, release)
    assert wait_until(lambda: len(workers_of(build)) > 0, build)
    workers_of(build)[0].terminate()
    _, said = build.communicate()
    assert build.returncode == 0, said
    assert content(release) == expected
    assert "crashed" not in pq.read_table(release / "discarded.parquet")["reason"].to_pylist()


def test_a_terminated_training_goes_on_from_its_last_checkpoint(release, undisturbed, tmp_path):
    model = tmp_path / "model"
    patch = before_step(9, signal.SIGTERM)
    code, said = run(tmp_path / "said", *train_command(release, model), patch=patch)
    assert code == -signal.SIGTERM, said
    code, said = run(tmp_path / "said", *train_command(release, model, "--resume"))
    assert code == 0, said
    assert trained(model) == undisturbed
