"""Which of the published files make a release, by their names."""

import re
from dataclasses import dataclass
from pathlib import Path

from proofmatch.errors import ProofmatchError

from ..release.schema import SPLITS

SYMBOLS = ("conservation", "partial", "trans", "full")
SUBSETS = ("mixed", "pb")  # pb: the articles on probability among the mixed ones
BY_ARTICLE = "unmixed"

_PUBLISHED_SPLITS = {"train": "train", "dev": "validation", "test": "test"}
_PUBLISHED_NAMES = {ours: theirs for theirs, ours in _PUBLISHED_SPLITS.items()}

# The first edition had one family of files, called `corpus_train` and so on.
_NAME = re.compile(
    r"(?:(?P<family>mixed|unmixed|pb)_(?P<symbols>conservation|partial|trans|full)|corpus)"
    r"_(?P<split>train|dev|test)(?:\.txt)?(?:\.(?:gz|bz2|xz))?"
)


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """One published file: a split of a family."""

    path: Path
    family: str
    symbols: str
    split: str


def find_files(folder: Path, symbols: str, subset: str) -> dict[str, list[PublishedFile]]:
    """Find the files of one edition of the symbols, in the order of the splits.

    Args:
        folder: Where to look, subfolders included.
        symbols: One of `SYMBOLS`.
        subset: Which files to use for the split by pair, one of `SUBSETS`.

    Returns:
        The three files of the subset, those of the split by article, or both.

    Raises:
        ProofmatchError: If there are none, or a split is missing or there twice.
    """
    if not folder.is_dir():
        raise ProofmatchError(f"{folder} is not a folder; give the one with the published files")
    published = [file for path in sorted(folder.rglob("*")) if (file := _recognise(path))]
    # The restriction to one field has no split by article of its own.
    wanted = (subset, BY_ARTICLE) if subset == "mixed" else (subset,)
    families = {}
    for family in wanted:
        found = [file for file in published if (file.family, file.symbols) == (family, symbols)]
        if found:
            families[family] = _all_splits(found, folder)
    if not families:
        seen = sorted({f"{file.family}_{file.symbols}" for file in published})
        there = f"there are {', '.join(seen)}" if seen else "there is none of the published files"
        raise ProofmatchError(
            f"{folder} has no file such as {subset}_{symbols}_train; {there} (see --symbols and --subset)"
        )
    return families


def _recognise(path: Path) -> PublishedFile | None:
    match = _NAME.fullmatch(path.name)
    if not match or not path.is_file():
        return None
    family, symbols = match["family"] or "mixed", match["symbols"] or "conservation"
    return PublishedFile(path, family, symbols, _PUBLISHED_SPLITS[match["split"]])


def _all_splits(found: list[PublishedFile], folder: Path) -> list[PublishedFile]:
    chosen = []
    for split in SPLITS:
        files = [file for file in found if file.split == split]
        name = f"{found[0].family}_{found[0].symbols}_{_PUBLISHED_NAMES[split]}"
        if not files:
            raise ProofmatchError(
                f"{folder} has no {name}, but has {found[0].path.name}; all splits are needed"
            )
        if len(files) > 1:
            names = " and ".join(str(file.path) for file in files)
            raise ProofmatchError(f"{names} are both {name}; keep one of them")
        chosen += files
    return chosen
