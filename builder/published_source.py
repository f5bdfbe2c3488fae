"""Where the published files are: in a folder or a dataset on the Hub, plain, compressed or in archives.

Only what an edition needs is downloaded and read. Members of archives are read where they are; nothing is
unpacked.
"""

import bz2
import gzip
import hashlib
import lzma
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol, cast

from proofmatch.downloads import DatasetListing, download_files, list_dataset
from proofmatch.errors import ProofmatchError, one_line
from proofmatch.hub_client import check_repository_name
from proofmatch.storage import FileState, SourceChanged, file_state

from .readers.archives import DAMAGE, is_archive_name, open_members
from .settings import MEBIBYTE

PUBLISHED_CORPUS = "waylonli/MATcH"  # on the Hub
SYMBOLS = ("conservation", "partial", "trans", "full")
SUBSETS = ("mixed", "pb")  # pb: the articles on probability among the mixed ones
BY_ARTICLE = "unmixed"

_FAMILIES = frozenset((*SUBSETS, BY_ARTICLE))
_SPLITS = {"train": "train", "dev": "validation", "valid": "validation", "val": "validation"}
_SPLITS |= {"validation": "validation", "test": "test"}

# The first edition had one family of files, called `corpus_train` and so on.
_FILE_NAME = re.compile(
    r"(?:(?P<family>mixed|unmixed|pb)_(?P<symbols>conservation|partial|trans|full)|corpus)"
    rf"_(?P<split>{'|'.join(_SPLITS)})(?:\.txt)?(?:\.(?:gz|bz2|xz))?"
)
_OPEN = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

# The published files take some hundred megabytes each, all of them together some gigabytes.
_LARGEST_FILE = 4096 * MEBIBYTE
_LARGEST_ARCHIVE = 32_768 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One published file: a split of a family."""

    path: Path  # of the file, or of the archive it is in
    family: str
    symbols: str
    split: str
    member: str | None = None  # its name in the archive

    def __str__(self) -> str:
        return str(self.path) if self.member is None else f"{self.path}/{_base_name(self.member)}"

    @property
    def name(self) -> str:
        """Its published name, however it is packed."""
        return _base_name(self.member or self.path.name).partition(".")[0]


def _base_name(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).name  # some archives are made on Windows


class Place(Protocol):
    """Where published files are."""

    def names(self) -> list[str]:
        """List the paths of all files."""
        ...

    def fetch(self, names: list[str]) -> list[Path]:
        """Make some of them available on this machine."""
        ...


@dataclass(frozen=True, slots=True)
class LocalPlace:
    """A folder, or an archive on its own."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    def names(self) -> list[str]:
        """List the paths of all files."""
        if self.path.is_dir():
            return sorted(str(path.relative_to(self.path)) for path in self.path.rglob("*") if path.is_file())
        return [""]

    def fetch(self, names: list[str]) -> list[Path]:
        """Tell where they are."""
        return [self.path / name for name in names]

    def state(self) -> str:
        """Describe what could be imported; it changes when a file does."""
        found = [self.path / name for name in self.names() if _recognise(name) or is_archive_name(name)]
        return repr([(str(path), file_state(path)) for path in found or [self.path]])


@dataclass
class HubPlace:
    """A dataset repository on the Hub."""

    repo_id: str
    revision: str | None = None
    download: Callable[[DatasetListing, list[str]], list[Path]] = download_files
    token: str | None = field(default=None, repr=False)  # instead of the configured one
    _listing: DatasetListing | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return self.repo_id

    @property
    def listing(self) -> DatasetListing:
        """What is in it, at the commit that the revision named when it was first asked."""
        if self._listing is None:
            self._listing = list_dataset(self.repo_id, self.revision, self.token)
        return self._listing

    def names(self) -> list[str]:
        """List the paths of all files."""
        return sorted(self.listing.files)

    def fetch(self, names: list[str]) -> list[Path]:
        """Download them, unless they are in the cache."""
        return self.download(self.listing, names)

    def state(self) -> str:
        """Describe what could be imported, without asking the Hub."""
        return repr((self.repo_id, self.revision))


def find_place(source: str | os.PathLike[str], revision: str | None = None) -> LocalPlace | HubPlace:
    """Tell a folder from the id of a dataset on the Hub.

    Raises:
        ProofmatchError: If it is neither.
    """
    path, name = Path(source), os.fspath(source)
    if path.is_dir() or (path.is_file() and is_archive_name(path.name)):
        if revision is not None:
            raise ProofmatchError(f"{path} is on this machine and has no revision; leave out --revision")
        return LocalPlace(path)
    if path.exists() or name.count("/") != 1 or name.startswith((".", "/", "~")) or name.endswith("/"):
        raise ProofmatchError(
            f"{name} is neither a folder nor an archive with the published files, nor a dataset on the Hub "
            f"such as {PUBLISHED_CORPUS}"
        )
    check_repository_name(name)
    return HubPlace(name, revision)


@dataclass
class Survey:
    """The files of one edition, and what they are called in the manifest.

    Attributes:
        families: The files of the subset, of the split by article, or of both: all splits of each, in the
            order of a release.
        sha256: The hash of the text of each file.
    """

    families: dict[str, list[PublishedFile]] = field(default_factory=dict)
    sha256: dict[PublishedFile, str] = field(default_factory=dict)
    _states: dict[Path, FileState | None] = field(default_factory=dict)

    @property
    def files(self) -> list[PublishedFile]:
        """All of them."""
        return [file for files in self.families.values() for file in files]

    def add(self, family: str, files: list[PublishedFile], place: Place) -> None:
        """Take the files of a family: all of them, or none if the family is missing."""
        chosen = []
        for split in dict.fromkeys(_SPLITS.values()):
            found = [file for file in files if file.split == split]
            if not found and files:
                published = next(name for name, ours in _SPLITS.items() if ours == split)
                name = f"{files[0].family}_{files[0].symbols}_{published}"
                raise ProofmatchError(f"{place} has no {name}, but has {files[0]}; all splits are needed")
            if len(found) > 1:
                names = " and ".join(map(str, found))
                raise ProofmatchError(f"{names} are the same split of {family}; keep one of them")
            chosen += found
        if chosen:
            self.families[family] = chosen

    def watch(self, path: Path) -> None:
        """Note the state of a file before it is read."""
        self._states.setdefault(path, file_state(path))

    def check_unchanged(self) -> None:
        """Refuse what was read if a file changed meanwhile.

        Raises:
            SourceChanged: If one did.
        """
        for path, state in self._states.items():
            if file_state(path) != state:
                raise SourceChanged(path)


def find_files(
    place: Place,
    symbols: str,
    subset: str,
    look_at: Callable[[PublishedFile, "TextStream"], None] = lambda *_: None,
) -> Survey:
    """Find the files of one edition by their names, hash them, and show each to `look_at` as it is read.

    Files on their own come first. Archives are opened only for families that are missing then: first those
    whose names mention such a family, then those whose names say nothing.

    Raises:
        ProofmatchError: If the place has none of them, or not all splits of a family.
    """
    # The restriction to one field has no separate split by article.
    wanted = (subset, BY_ARTICLE) if subset == "mixed" else (subset,)
    names, survey, editions = place.names(), Survey(), set[str]()

    def is_needed(name: str) -> bool:
        file = _recognise(name)
        if file is not None:
            editions.add(f"{file.family}_{file.symbols}")
        return file is not None and file.symbols == symbols and file.family in missing()

    def missing() -> list[str]:
        return [family for family in wanted if family not in survey.families]

    archives = [name for name in names if is_archive_name(name or str(place))]
    for choose in (
        lambda: [name for name in names if is_needed(name)],
        lambda: [name for name in archives if _mentions(name, missing(), symbols)],
        lambda: [name for name in archives if _mentions(name, None, symbols)],
    ):
        if not missing() or not (chosen := choose()):
            continue
        found: list[PublishedFile] = []
        for path in place.fetch(chosen):
            survey.watch(path)
            for file, stream in _open_path(path, is_needed):
                look_at(file, stream)
                survey.sha256[file] = stream.rest_hashed()
                found.append(file)
        for family in missing():
            survey.add(family, [file for file in found if file.family == family], place)
    if not survey.families:
        there = ", ".join(sorted(editions))
        there = f"there are {there}" if there else "there is none of the published files"
        raise ProofmatchError(
            f"{place} has no file such as {subset}_{symbols}_train; {there} (see --symbols and --subset)"
        )
    return survey


def _recognise(name: str, path: Path | None = None, member: str | None = None) -> PublishedFile | None:
    match = _FILE_NAME.fullmatch(_base_name(name))
    if not match:
        return None
    family, symbols = match["family"] or "mixed", match["symbols"] or "conservation"
    return PublishedFile(path or Path(name), family, symbols, _SPLITS[match["split"]], member)


def _mentions(name: str, families: Iterable[str] | None, symbols: str) -> bool:
    """Tell whether the path of an archive mentions one of the families, or (for None) no family at all."""
    words = set(re.findall(r"[a-z]+", name.lower()))
    mentioned = words & _FAMILIES
    if families is None or not mentioned:
        return families is None and not mentioned
    return not mentioned.isdisjoint(families) and (symbols in words or words.isdisjoint(SYMBOLS))


def open_files(files: Iterable[PublishedFile]) -> Iterator[tuple[PublishedFile, "TextStream"]]:
    """Open files one after the other; files of an archive are opened in its order, in a single pass."""
    by_path: dict[Path, list[PublishedFile]] = {}
    for file in files:
        by_path.setdefault(file.path, []).append(file)
    for path, wanted in by_path.items():
        members = {file.member for file in wanted}
        yield from _open_path(path, members.__contains__ if members != {None} else lambda _: True)


def _open_path(path: Path, is_wanted: Callable[[str], bool]) -> Iterator[tuple[PublishedFile, "TextStream"]]:
    with _damage_in_words(path):
        if is_archive_name(path.name):
            for member, packed in open_members(path, is_wanted, _LARGEST_ARCHIVE):
                if file := _recognise(member, path, member):
                    yield file, TextStream(file, _unpacked(packed, member))
        elif file := _recognise(path.name, path):
            with path.open("rb") as packed:
                yield file, TextStream(file, _unpacked(packed, path.name))


def _unpacked(stream: BinaryIO, name: str) -> BinaryIO:
    opener = _OPEN.get(PurePosixPath(name).suffix)
    return cast(BinaryIO, opener(stream, "rb")) if opener else stream


class TextStream:
    """The text of a published file, read once from its start; damage is reported in one sentence.

    Args:
        file: The file.
        stream: Its decompressed bytes.
    """

    def __init__(self, file: PublishedFile, stream: BinaryIO) -> None:
        self._file = file
        self._stream = stream
        self._size = 0
        self._hash = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Read at most `size` bytes; nothing at the end.

        Raises:
            ProofmatchError: If the file is damaged or far too large.
        """
        with _damage_in_words(self._file):
            data = self._stream.read(size)
        self._size += len(data)
        if self._size > _LARGEST_FILE:
            raise ProofmatchError(f"{self._file} is far larger than any published file; download it again")
        self._hash.update(data)
        return data

    def rest_hashed(self) -> str:
        """Read to the end, and give the SHA-256 of everything."""
        while self.read(MEBIBYTE):
            pass
        return self._hash.hexdigest()


@contextmanager
def _damage_in_words(name: object) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ProofmatchError(
            f"{name} cannot be read ({one_line(reason) or type(error).__name__}); download it again"
        ) from None
