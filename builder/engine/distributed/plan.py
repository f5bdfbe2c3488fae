"""The plan of a distributed build: all its batches, in order, and beside it the documents of each.

It is made once, by the driver. Ranks read no more of it than their own batches, and list no folder.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofmatch import __version__
from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress
from proofmatch.storage import write_atomically

from ...readers.archives import PlaceReader
from ...readers.sources import read_sources, state_of
from ...settings import BuildSettings
from ..batches import Batch, cut_into_batches
from ..run_folder import RunFolder, configuration_hash
from .inputs import are_inputs, read_inputs, write_inputs

_PLAN = "plan.json"
_INPUTS = "inputs"


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """A batch of the plan, without its documents."""

    index: int
    fingerprint: str

    @property
    def part_name(self) -> str:
        """The file name of its part."""
        return Batch(self.index, self.fingerprint, ()).part_name


@dataclass(frozen=True, slots=True)
class Plan:
    """All batches of a build.

    Attributes:
        run: The folder of the build.
        settings: Its settings.
        configuration: The hash of everything that was asked for.
        state: What the sources were like.
        batches: The batches, in order.
    """

    run: RunFolder
    settings: BuildSettings
    configuration: str
    state: str
    batches: tuple[PlannedBatch, ...]

    def missing(self) -> list[PlannedBatch]:
        """List the batches whose parts are not there, or not intact."""
        return [batch for batch in self.batches if not self.run.is_done(batch)]

    def share(self, rank: int, world: int) -> list[PlannedBatch]:
        """List the batches of a rank; every batch belongs to exactly one."""
        return list(self.batches[rank::world])

    def load(self, batch: PlannedBatch, places: PlaceReader) -> Batch:
        """Find the documents of a batch; see `read_inputs`."""
        path = _inputs_path(self.run, batch.part_name)
        return read_inputs(path, batch.index, batch.fingerprint, self.settings.max_document_bytes, places)


def make_plan(
    run: RunFolder, sources: list[str], settings: BuildSettings, parameters: dict[str, Any]
) -> Plan:
    """Plan a build, or take up the plan of an earlier attempt if the sources are still the same."""
    configuration, state = configuration_hash(parameters), state_of(sources)
    plan = read_plan(run)
    if plan and (plan.configuration, plan.state) == (configuration, state) and _is_usable(plan):
        return plan
    (run.path / _PLAN).unlink(missing_ok=True)
    (run.path / _INPUTS).mkdir(exist_ok=True)
    with Progress("planning", "batches") as progress:
        batches, documents = [], 0
        for batch in cut_into_batches(read_sources(sources, settings.max_document_bytes)):
            path = _inputs_path(run, batch.part_name)
            if not are_inputs(path) and not run.is_done(batch):
                write_inputs(batch, path)
            batches.append(PlannedBatch(batch.index, batch.fingerprint))
            documents += len(batch.documents)
            progress.summary = f"{documents:,} documents"
            progress.advance()
        progress.summary = f"{documents:,} documents in {len(batches):,} batches"
    plan = Plan(run, settings, configuration, state, tuple(batches))
    content = {
        "proofmatch": __version__,
        "configuration": configuration,
        "state": state,
        "settings": settings.as_dict(),
        "batches": [batch.fingerprint for batch in batches],
    }
    write_atomically(run.path / _PLAN, json.dumps(content) + "\n")
    return plan


def read_plan(run: RunFolder) -> Plan | None:
    """Read the plan of a build, or None if there is none."""
    try:
        content = json.loads((run.path / _PLAN).read_text(encoding="utf-8"))
        settings = BuildSettings(**content["settings"])
        batches = tuple(PlannedBatch(*entry) for entry in enumerate(content["batches"]))
        return Plan(run, settings, content["configuration"], content["state"], batches)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        raise ProofmatchError(
            f"{run.path / _PLAN} is damaged; delete it and run the same command again"
        ) from None


def plan_seen_from_here(release: Path, configuration: str, version: str, machine: str) -> Plan:
    """Read the plan on a machine of the cluster.

    Args:
        release: The release folder.
        configuration: The configuration that the driver has planned.
        version: The driver's version of this package.
        machine: The name of this machine.

    Raises:
        ProofmatchError: If this machine does not see it, or would not do the same.
    """
    plan = read_plan(RunFolder(release))
    if plan is None or plan.configuration != configuration:
        raise ProofmatchError(
            f"{machine} does not see the plan of the build in {release}; "
            "the release folder must lie on a file system that all machines share"
        )
    if version != __version__:
        raise ProofmatchError(f"{machine} has proofmatch {__version__}, but the driver has {version}")
    return plan


def _is_usable(plan: Plan) -> bool:
    """Tell whether the documents of all missing batches are still written down."""
    return all(are_inputs(_inputs_path(plan.run, batch.part_name)) for batch in plan.missing())


def _inputs_path(run: RunFolder, part_name: str) -> Path:
    return (run.path / _INPUTS / part_name).with_suffix(".documents")


def fresh_parts(run: RunFolder, waiting: set[str]) -> Iterator[Path]:
    """Find the parts that have come to be, of those that are waited for."""
    # Opening the folder makes a network file system look again.
    for name in waiting.intersection(path.name for path in run.parts.iterdir()):
        yield run.parts / name
