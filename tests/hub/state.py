"""The state of the Hub: repositories with their history, large objects, and a log of requests."""

import hashlib
import mmap
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from .exchange import Refusal, Request

GITATTRIBUTES = (
    b"*.parquet filter=lfs diff=lfs merge=lfs -text\n*.safetensors filter=lfs diff=lfs merge=lfs -text\n"
)


def git_blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@dataclass(frozen=True)
class Blob:
    """A file of a commit: its bytes, or the pointer to a large object."""

    content: bytes = b""
    sha256: str | None = None
    size: int = 0

    @property
    def pointer(self) -> bytes:
        version = "https://git-lfs.github.com/spec/v1"
        return f"version {version}\noid sha256:{self.sha256}\nsize {self.size}\n".encode()

    @property
    def oid(self) -> str:
        return git_blob_id(self.pointer if self.sha256 else self.content)


@dataclass(frozen=True)
class Commit:
    oid: str
    parent: str | None
    title: str
    message: str
    date: str
    files: dict[str, Blob]


@dataclass
class Repository:
    kind: str  # "models", "datasets" or "spaces", as in the paths of the API
    name: str
    private: bool
    gated: set[str] | None = None  # who may read its files, if not everybody
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def commit(self, branch: str, files: dict[str, Blob], title: str, message: str = "") -> Commit:
        parent = self.branches.get(branch)
        listing = "".join(f"{path} {blob.oid}\n" for path, blob in sorted(files.items()))
        text = f"{parent}\n{title}\n{message}\n{listing}{len(self.commits)}"
        oid = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        date = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.commits[oid] = Commit(oid, parent, title, message, date, files)
        self.branches[branch] = oid
        return self.commits[oid]

    def at(self, revision: str) -> Commit:
        oid = self.branches.get(revision) or self.tags.get(revision) or revision
        if oid not in self.commits:
            raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[oid]

    def history(self, revision: str) -> list[Commit]:
        commits = [self.at(revision)]
        while commits[-1].parent:
            commits.append(self.commits[commits[-1].parent])
        return commits


@dataclass
class Faults:
    """What goes wrong, as the tests want it. Uploads are counted from 1, as they begin.

    Of downloads from the storage, the next `cut_downloads` end in the middle, and the `reset_downloads` after
    them as well, with a reset instead of an end of the connection.
    """

    cut_from: int | None = None
    cut_until: int = 10**9
    stall_at: int | None = None
    stalled: threading.Event = field(default_factory=threading.Event)
    resume: threading.Event = field(default_factory=threading.Event)
    corrupt: set[str] = field(default_factory=set)  # files that a commit stores damaged
    lose_commits: bool = False  # commits are made, but the answer does not arrive
    refuse_tokens: bool = False
    cut_downloads: int = 0
    reset_downloads: int = 0

    def cuts(self, upload: int) -> bool:
        return self.cut_from is not None and self.cut_from <= upload <= self.cut_until


@dataclass(frozen=True)
class Account:
    user: str
    role: str  # "read" or "write"


class Hub:
    """The state that the API and the storage share."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.accounts: dict[str, Account] = {}
        self.repositories: dict[tuple[str, str], Repository] = {}
        self.objects: dict[str, bytes | mmap.mmap] = {}
        self.faults = Faults()
        self.upload_numbers = count(1)
        self.requests: list[Request] = []
        self.arrived: list[str] = []  # sha256 of large objects and paths of regular files, as they were sent
        self.url = self.storage_url = ""

    def forget_traffic(self) -> None:
        """Begin to record anew, with nothing going wrong."""
        self.requests.clear()
        self.arrived.clear()
        self.faults = Faults()
        self.upload_numbers = count(1)

    def create(
        self, kind: str, name: str, private: bool = False, files: dict[str, Blob] | None = None
    ) -> Repository:
        repository = self.repositories[kind, name] = Repository(kind, name, private)
        repository.commit("main", {".gitattributes": Blob(GITATTRIBUTES), **(files or {})}, "initial commit")
        return repository

    def publish(
        self, name: str, folder: Path, *, gated: set[str] | None = None, large: int = 10_000
    ) -> Repository:
        """Make a dataset of the files of a folder; those of at least `large` bytes are in the storage."""
        files: dict[str, Blob] = {}
        for path in (path for path in folder.rglob("*") if path.is_file()):
            blob = (
                Blob(path.read_bytes()) if (size := path.stat().st_size) < large else self._stored(path, size)
            )
            files[path.relative_to(folder).as_posix()] = blob
        repository = self.create("datasets", name, files=files)
        repository.gated = gated
        return repository

    def _stored(self, path: Path, size: int) -> Blob:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            self.objects[sha256] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return Blob(sha256=sha256, size=size)

    def downloads(self) -> list[Request]:
        """What was requested of files: their content, not their description."""
        return [
            request
            for request in self.requests
            if request.method == "GET" and (request.host == "storage" or "/resolve/" in request.path)
        ]

    def dataset(self, name: str) -> Repository:
        return self.repositories["datasets", name]

    def space(self, name: str) -> Repository:
        return self.repositories["spaces", name]

    def content(self, blob: Blob) -> bytes:
        return bytes(self.objects[blob.sha256]) if blob.sha256 else blob.content

    def damaged(self, blob: Blob) -> Blob:
        """The same file with its last byte lost."""
        content = self.content(blob)[:-1]
        if not blob.sha256:
            return Blob(content)
        sha256 = hashlib.sha256(content).hexdigest()
        self.objects[sha256] = content
        return replace(blob, sha256=sha256, size=len(content))
