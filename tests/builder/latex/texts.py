"""Small LaTeX articles, and the means to pack them as arXiv does."""

import gzip
import io
import shutil
import tarfile
from collections.abc import Mapping

import pytest

needs_latexml = pytest.mark.skipif(
    shutil.which("latexmlc") is None, reason="LaTeXML (Debian's package latexml) is not installed"
)

# Long enough for the filters.
STATEMENT = (
    "Let $G$ be a finite group that acts on a finite set $X$, and let $x$ be an element of the set $X$. "
    "Then the length of the orbit of $x$ is the index of its stabiliser in the group $G$."
)
PROOF = (
    "Two elements $g$ and $h$ of the group move $x$ to the same place if and only if they lie in the same "
    "coset of the stabiliser. So the points of the orbit correspond to the cosets, which proves the claim."
)


def theorem(body: str = "", kind: str = "theorem") -> str:
    """A statement with its proof; the body goes into the proof."""
    return f"\\begin{{{kind}}}{STATEMENT}\\end{{{kind}}}\n\\begin{{proof}}{PROOF}\n{body}\n\\end{{proof}}\n"


def article(body: str | None = None, preamble: str = "") -> str:
    """A whole article, with one pair unless it has another body."""
    return (
        "\\documentclass{article}\n\\usepackage{amsthm}\n\\newtheorem{theorem}{Theorem}\n"
        f"{preamble}\n\\begin{{document}}\n{theorem() if body is None else body}\n\\end{{document}}\n"
    )


def tar_of(files: Mapping[str, str | bytes | tarfile.TarInfo]) -> bytes:
    """A tar of files; a `TarInfo` is a member as it is, such as a link."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def eprint(files: Mapping[str, str | bytes | tarfile.TarInfo]) -> bytes:
    """An e-print of several files as arXiv stores it."""
    return gzip.compress(tar_of(files), mtime=0)
