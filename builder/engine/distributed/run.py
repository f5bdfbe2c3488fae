"""The engines beyond one machine, from the sources to the complete parts."""

import os
import socket
import sys
from importlib.util import find_spec
from typing import Any

from proofmatch.errors import ProofmatchError

from ...settings import BuildSettings
from ..run_folder import RunFolder
from .cluster import ENGINES, Cluster
from .drive import fresh_launch_folder, refuse_missing, run_on_ray
from .job_log import reasons_of_failure
from .plan import Plan, make_plan

_SECONDS_TO_CONNECT = 10.0
_NEEDS = {"local": (), "ray": ("datatrove", "ray"), "slurm": ("datatrove",)}


def check_engine(engine: str, cluster: Cluster) -> None:
    """Refuse before a long run what cannot end well.

    Raises:
        ProofmatchError: If there is no such engine, or it is not told what it has to be told.
        ModuleNotFoundError: If what it needs is not installed.
    """
    if engine not in ENGINES:
        raise ProofmatchError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    for name in _NEEDS[engine]:
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    if engine == "slurm" and not cluster.partition:
        raise ProofmatchError("--engine slurm needs --partition; `sinfo` lists the partitions of a cluster")
    if engine == "ray":
        _probe(cluster.address or os.environ.get("RAY_ADDRESS") or "")
    if cluster.dry_run and engine != "slurm":
        raise ProofmatchError("--dry-run writes the script of --engine slurm; other engines have none")


def _probe(address: str) -> None:
    """Make sure that somebody listens; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or "://" in address or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), _SECONDS_TO_CONNECT).close()
    except OSError as error:
        raise ProofmatchError(
            f"no Ray cluster answers at {address} ({error.strerror or error}); "
            "check the address, or leave it out to use this machine alone"
        ) from None


def make_parts_elsewhere(
    run: RunFolder,
    sources: list[str],
    settings: BuildSettings,
    parameters: dict[str, Any],
    engine: str,
    cluster: Cluster,
) -> bool:
    """Make the parts of a build on a cluster, and tell whether they are there; a job takes its time.

    Raises:
        ProofmatchError: If parts are missing that should be there.
    """
    plan = make_plan(run, sources, settings, parameters)
    for batch in plan.batches:
        run.expect(batch)
    if engine == "ray":
        run_on_ray(plan, cluster)
    elif plan.missing():
        _submit(plan, cluster)
        return False
    refuse_missing(plan)
    return True


def _submit(plan: Plan, cluster: Cluster) -> None:
    from .on_slurm import submit

    for sentence in reasons_of_failure(plan.run):
        print(f"the last job said: {sentence}", file=sys.stderr)
    submit(plan, cluster, fresh_launch_folder(plan))
