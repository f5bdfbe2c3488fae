"""What has to change in a repository so that it holds our files."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from .local import LocalFile
from .remote import RemoteFile


@dataclass(frozen=True)
class Plan:
    """Files by what happens to them."""

    added: list[LocalFile]
    changed: list[LocalFile]
    unchanged: list[LocalFile]
    deleted: list[RemoteFile]

    @property
    def uploads(self) -> list[LocalFile]:
        """What travels."""
        return [*self.added, *self.changed]

    @property
    def is_empty(self) -> bool:
        """Whether the repository holds all files already."""
        return not (self.added or self.changed or self.deleted)


def make_plan(files: Iterable[LocalFile], remote: Mapping[str, RemoteFile], released: Set[str]) -> Plan:
    """Compare our files with a repository.

    Args:
        files: Those to publish.
        remote: What the repository holds.
        released: Names of what an earlier push has put there; the repository's other files are not our
            business.
    """
    plan = Plan([], [], [], [])
    names = set()
    for file in files:
        names.add(file.name)
        there = remote.get(file.name)
        kind = plan.added if there is None else plan.unchanged if _same(file, there) else plan.changed
        kind.append(file)
    plan.deleted.extend(remote[name] for name in sorted((released - names) & remote.keys()))
    return plan


def _same(local: LocalFile, remote: RemoteFile) -> bool:
    if local.size != remote.size:
        return False
    if remote.sha256 is not None:
        return local.sha256 == remote.sha256
    return local.git_blob_id == remote.git_blob_id
