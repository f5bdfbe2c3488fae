r"""LaTeX articles in a folder: a file with `\documentclass`, and the TeX files beside and below it."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from ..reasons import Reason
from .documents import FaultyDocument, FileDocument, file_document
from .eprints import MOST_FILES, is_clean_name, is_folder_part, is_main_file, is_tex_name, pack_files

_HEAD = 1 << 16
_MOST_BELOW = (
    100_000  # files below the folder of an article; a folder with more is not an article, but perhaps a home
)


@dataclass(frozen=True, slots=True)
class TexDocument:
    """An article of one or several TeX files on disk, read by the worker that gets it."""

    main: FileDocument
    parts: tuple[FileDocument, ...]  # named as the main file may call them

    @property
    def name(self) -> str:
        """The path of the main file within the source."""
        return self.main.name

    @property
    def size(self) -> int:
        """The size of all files together."""
        return self.main.size + sum(part.size for part in self.parts)

    @property
    def stamp(self) -> str:
        """The stamps of all files."""
        if not self.parts:
            return self.main.stamp
        state = blake2b("\n".join(part.stamp for part in self.parts).encode(), digest_size=8)
        return f"{self.main.stamp}:{state.hexdigest()}"

    def read(self) -> bytes:
        """Read the files, which must not have changed since they were found."""
        if not self.parts:
            return self.main.read()
        base = Path(self.main.path).name
        return pack_files({base: self.main.read(), **{part.name: part.read() for part in self.parts}})


class TexFolders:
    """Tells articles from parts of articles, and looks for the parts of a folder once.

    Args:
        root: The folder of the source. Symbolic links that lead out of it are not followed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._mains: dict[Path, bool] = {}
        self._folders: set[Path] = set()  # those with an article
        self._parts: tuple[Path, tuple[FileDocument, ...] | FaultyDocument] | None = None

    def note(self, paths: Iterable[Path]) -> None:
        """Find out which TeX files are articles; call it before `document` for the files of a folder."""
        for path in paths:
            if path not in self._mains:
                self._mains[path] = self._is_main(path)
                if self._mains[path]:
                    self._folders.add(path.parent)

    def _is_main(self, path: Path) -> bool:
        try:
            with path.open("rb") as file:
                return is_main_file(file.read(_HEAD))
        except OSError:
            return True  # to be reported when it is read

    def _knows_main(self, path: Path) -> bool:
        return self._mains[path] if path in self._mains else self._is_main(path)

    def document(self, path: Path, name: str) -> TexDocument | FaultyDocument | None:
        """Make the document of a file, or None if it is a part of another article."""
        if not self._is_inside(path):
            return FaultyDocument(name, Reason.UNSAFE_MEMBER, "a link to a file outside the source")
        if not self._mains.get(path, True):
            if not self._folders.isdisjoint([path.parent, *path.parents]):
                return None
            return FaultyDocument(
                name, Reason.NO_MAIN_FILE, "no file with \\documentclass in its folder or above"
            )
        return self.article(path, name)

    def article(self, path: Path, name: str) -> TexDocument | FaultyDocument:
        """Make the document of a main file."""
        if self._parts is None or self._parts[0] != path.parent:
            self._parts = path.parent, self._find_parts(path.parent)
        parts = self._parts[1]
        if isinstance(parts, FaultyDocument):
            return FaultyDocument(name, parts.reason, parts.detail)
        main = file_document(path, name)
        return TexDocument(main, tuple(part for part in parts if part.path != str(path)))

    def _is_inside(self, path: Path) -> bool:
        return not path.is_symlink() or path.resolve().is_relative_to(self._root)

    def _find_parts(self, folder: Path) -> tuple[FileDocument, ...] | FaultyDocument:
        found: list[FileDocument] = []
        looked = 0
        for place, subfolders, files in os.walk(folder):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
            looked += len(files) if place != str(folder) else 0
            for path in (Path(place, file) for file in sorted(files) if is_folder_part(file)):
                name = path.relative_to(folder).as_posix()
                if not (is_clean_name(name) and path.is_file() and self._is_inside(path)):
                    continue
                if is_tex_name(path.name) and self._knows_main(path):
                    continue
                found.append(file_document(path, name))
            if len(found) > MOST_FILES or looked > _MOST_BELOW:
                detail = f"its folder has more than {MOST_FILES} TeX files, or {_MOST_BELOW} files below"
                return FaultyDocument("", Reason.TOO_LARGE, detail)
        return tuple(found)
