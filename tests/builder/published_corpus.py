"""Writes synthetic files in the format of the published corpus, of any size."""

import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SEPARATOR = "_" * 12
SPLITS = ("train", "dev", "test")
SIZES = {"train": 147_276, "dev": 18_409, "test": 18_409}  # the paper's
_FONTS = ("____bold", "____script", "____double-struck", "____fraktur")
_KINDS = ("Theorem", "Lemma", "Proposition", "Corollary")
_CATEGORIES = ("math.AG", "math.CO", "math.PR", "math.NT", "math-ph")


@dataclass(frozen=True)
class Block:
    """A pair: its article, the statement's id, and the lines."""

    article: str
    statement: str
    lines: str

    def text(self, new_form: bool) -> str:
        head = f"{self.article}|{self.statement}" if new_form else f"arXiv:{self.article}"
        return f"{head}\n{self.lines}\n"


def synthetic_blocks(pairs: int, seed: int = 0, math_prefix: bool = False) -> Iterator[Block]:
    """Make pairs with the lengths and the share of math of the paper's table, about seven an article."""
    random = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(30_000)])
    prefix = "math_" if math_prefix else ""
    letters = np.array([prefix + chr(97 + number % 26) + _font(number) for number in range(200)])
    for number in range(pairs):
        article = f"{1000 + number // 7 % 9000:04d}.{number // 7 // 9000:04d}"
        statement = _passage(random, words, letters, int(random.integers(20, 110)))
        proof = _passage(random, words, letters, int(random.integers(30, 280)))
        kind = _KINDS[number % len(_KINDS)]
        lines = f"{SEPARATOR}\ntext\t{kind} {number % 7 + 1}.\n{statement}{SEPARATOR}\ntext\tProof.\n{proof}"
        yield Block(article, f"S1.Thm{number}", lines)


def _font(number: int) -> str:
    return _FONTS[number % 4] if number % 3 == 0 else ""


def _passage(random: np.random.Generator, words: np.ndarray, letters: np.ndarray, length: int) -> str:
    half = length // 2
    # Words as frequent as words are, roughly.
    text = words[(len(words) * random.random(half) ** 3).astype(int)]
    math = letters[(len(letters) * random.random(length - half) ** 2).astype(int)]
    step = 4
    pieces = []
    for start in range(0, length - half, step):
        pieces.append(f"text\t{' '.join(text[start : start + step])}\n" if start < half else "")
        pieces.append(f"math\t{' '.join(math[start : start + step])}\n")
    return "".join(pieces)


def write_file(path: Path, blocks: list[Block], *, listed: bool = True, new_form: bool = False) -> None:
    """Write one file, with the list of articles or with a placeholder for it."""
    articles = sorted({block.article for block in blocks})
    prefix = "" if new_form else "arXiv:"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{len(articles)}\n\n")
        if listed:
            for number, article in enumerate(articles):
                categories = f"{_CATEGORIES[number % len(_CATEGORIES)]}|math.XX"
                file.write(f"{prefix}{article}\t{categories}\tOn the number {number}\n")
        else:
            file.write("placeholder\n")
        file.write("\n")
        for block in blocks:
            file.write(block.text(new_form) + "\n")


def write_corpus(
    folder: Path, sizes: dict[str, int], *, symbols: str = "conservation", new_form: bool = False
) -> None:
    """Write both families: `mixed` cut anywhere, `unmixed` cut between articles."""
    blocks = list(synthetic_blocks(sum(sizes.values())))
    shuffled = [blocks[place] for place in np.random.default_rng(1).permutation(len(blocks))]
    for family, pairs in (("mixed", shuffled), ("unmixed", blocks)):
        (folder / family).mkdir(parents=True, exist_ok=True)
        start = 0
        for split in SPLITS:
            end = start + sizes[split]
            if family == "unmixed" and split != "test":
                while end < len(pairs) and pairs[end].article == pairs[end - 1].article:
                    end += 1
            if split == "test":
                end = len(pairs)
            path = folder / family / f"{family}_{symbols}_{split}"
            write_file(path, pairs[start:end], listed=family == "mixed" or not new_form, new_form=new_form)
            start = end


def pack(folder: Path, archive: Path, *, backwards: bool = False) -> None:
    """Put the files of a folder into an archive, whose ending tells its kind."""
    paths = sorted((path for path in folder.rglob("*") if path.is_file()), reverse=backwards)
    names = [f"{folder.name}/{path.relative_to(folder)}" for path in paths]
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for path, name in zip(paths, names, strict=True):
                packed.write(path, name)
        return
    compression = archive.suffix.removeprefix(".").replace("tar", "")
    level = {"compresslevel": 1} if compression in ("gz", "bz2") else {}
    with tarfile.open(archive, f"w:{compression}", **level) as packed:
        for path, name in zip(paths, names, strict=True):
            packed.add(path, name)
