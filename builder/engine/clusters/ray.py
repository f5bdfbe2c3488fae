"""The Ray engine: datatrove runs the ranks as tasks of a Ray cluster.

This module is a program that the driver starts as a separate process, the launcher: Ray's threads, signal
handlers and messages stay out of the driver, and when the launcher ends, for any reason, so do the tasks.
"""

# pyright: reportMissingImports=false
# (The extra `distributed` need not be installed where types are checked.)

import json
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import ray
from datatrove.executor.ray import RayPipelineExecutor
from ray.exceptions import GetTimeoutError, RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from proofmatch import __version__
from proofmatch.errors import ProofmatchError, first_line
from proofmatch.workers import die_with_parent, number_of_workers

from ...pair_parts import is_complete
from ...settings import Cluster
from ..run_folder import RunFolder
from .driver import LAUNCHER
from .plan import Plan, read_plan, read_shared_plan
from .rank import RunRank, write_failure

if TYPE_CHECKING:
    from datatrove.utils.stats import PipelineStats

_GIGABYTE = 1 << 30


class RankTasks(RayPipelineExecutor):
    """Runs our ranks without leaving temporary files or orphaned processes on the machines."""

    def _run_for_rank(self, rank: int, local_rank: int = 0, node_rank: int = -1) -> "PipelineStats":
        # This process is a child of the task's process, which waits for it.
        parent = os.getppid()
        die_with_parent(parent)
        for step in self.pipeline:
            if isinstance(step, RunRank):
                step.waiting = parent
        # datatrove logs to a folder in the temporary one that may belong to another user.
        tempfile.tempdir = tempfile.mkdtemp(prefix="proofmatch-")
        try:
            return super()._run_for_rank(rank, local_rank, node_rank)
        finally:
            shutil.rmtree(tempfile.tempdir, ignore_errors=True)


def main() -> int:
    """Run all missing batches of a planned build on Ray."""
    release, driver = Path(sys.argv[1]), int(sys.argv[3])
    die_with_parent(driver)
    run, cluster = RunFolder(release, is_complete), Cluster(**json.loads(sys.argv[2]))
    try:
        plan = read_plan(run)
        if plan is None:
            raise ProofmatchError(f"there is no plan in {run.path}")
        with _explaining_ray_errors():
            _connect(cluster)
            _check_nodes(plan, cluster)
        _launch(plan, cluster, Path(sys.argv[4]))
    except ProofmatchError as error:
        write_failure(run, LAUNCHER, str(error))
        return 1
    finally:
        ray.shutdown()
    return 0


@contextmanager
def _explaining_ray_errors() -> Iterator[None]:
    """Explain in one sentence why Ray fails; it raises exceptions of many kinds."""
    try:
        yield
    except ProofmatchError:
        raise
    except Exception as error:
        traceback.print_exc()  # into the log
        reason = first_line(error) or type(error).__name__
        raise ProofmatchError(f"Ray cannot be used ({reason}); fix that, or use another --engine") from None


def _connect(cluster: Cluster) -> None:
    address = cluster.address or os.environ.get("RAY_ADDRESS") or ("auto" if _has_own_cluster() else "local")
    if address != "local":
        try:
            ray.init(address=address, log_to_driver=False)
            return
        except ConnectionError:
            if wanted := cluster.address or os.environ.get("RAY_ADDRESS"):
                raise ProofmatchError(
                    f"no Ray cluster answers at {wanted}, or it requires a token (RAY_AUTH_MODE=token); "
                    "check the address, or leave it out to use this machine alone"
                ) from None
    ray.init(
        address="local",
        num_cpus=number_of_workers(cluster.workers) * cluster.cpus_per_task,
        include_dashboard=False,
        log_to_driver=False,
    )


def _has_own_cluster() -> bool:
    """Tell whether the cluster that Ray has recorded on this machine is ours.

    Any user can write that record, and the owner of a cluster could make us run anything.
    """
    record = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir(), "ray", "ray_current_cluster")
    return record.is_file() and record.stat().st_uid == os.getuid()


def _check_nodes(plan: Plan, cluster: Cluster) -> None:
    """Make sure before a long run that every machine sees the plan, and that a task fits on some machine."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    answers = [
        ray.remote(_try_plan)
        .options(num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False))
        .remote(str(plan.run.output), plan.configuration, __version__, node["NodeManagerAddress"])
        for node in nodes
    ]
    try:
        complaints = ray.get(answers, timeout=120)
    except GetTimeoutError:
        return  # a busy cluster; the ranks check again
    except RayError as error:
        reason = str(error).strip().rpartition("\n")[2]
        raise ProofmatchError(f"a machine of the Ray cluster cannot run proofmatch: {reason}") from None
    for complaint in filter(None, complaints):
        raise ProofmatchError(complaint)
    cpus, memory = cluster.cpus_per_task, cluster.cpus_per_task * cluster.mem_per_cpu * _GIGABYTE
    # A head node without CPUs starts machines when they are needed.
    working = [node["Resources"] for node in nodes if node["Resources"].get("CPU", 0)]
    large_enough = [resources for resources in working if resources["CPU"] >= cpus]
    if working and not large_enough:
        raise ProofmatchError(
            f"no machine of the Ray cluster has {cpus} CPUs for a task; lower --cpus-per-task"
        )
    if large_enough and all(resources.get("memory", 0) < memory for resources in large_enough):
        raise ProofmatchError(
            f"no machine of the Ray cluster has {memory // _GIGABYTE} GB for a task; lower --mem-per-cpu"
        )


def _try_plan(release: str, configuration: str, version: str, machine: str) -> str | None:
    try:
        read_shared_plan(Path(release), configuration, version, machine)
    except ProofmatchError as error:
        return str(error)
    return None


def _launch(plan: Plan, cluster: Cluster, folder: Path) -> None:
    room = int(ray.cluster_resources().get("CPU", 1)) // cluster.cpus_per_task
    workers = cluster.workers or max(1, room)
    tasks = cluster.number_of_tasks(len(plan.missing()), workers)
    step = RunRank(str(plan.run.output), plan.configuration, cluster.cpus_per_task)
    RankTasks(
        [step],
        tasks=tasks,
        workers=workers,
        # datatrove marks a task as completed when it has ended, even if parts are missing.
        skip_completed=False,
        logging_dir=str(folder),
        cpus_per_task=cluster.cpus_per_task,
        mem_per_cpu_gb=cluster.mem_per_cpu,
    ).run()


if __name__ == "__main__":
    # Through its import name: Ray's workers import the classes that they unpickle.
    from proofmatch.builder.engine.clusters.ray import main as launch

    sys.exit(launch())
