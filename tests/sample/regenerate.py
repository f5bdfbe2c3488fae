"""Regenerate the sample articles from their LaTeX sources with LaTeXML.

    python -m tests.sample.regenerate           # rewrite builder/sample/articles/
    python -m tests.sample.regenerate --check   # only compare; exit 1 if something differs

The output of LaTeXML 0.8 is kept, apart from what changes from run to run. The markup of older LaTeXML
versions is made from it by renaming classes and the MathML prefix. The documents are edited as text, not
parsed and serialised again, so that no other byte changes.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "builder" / "sample"
LATEXML_VERSION = "0.8.7"
MATHML_XMLNS = ' xmlns="http://www.w3.org/1998/Math/MathML"'


class RegenerationError(Exception):
    """A problem to report to the user in one sentence."""


@dataclass(frozen=True)
class Article:
    """One entry of catalogue.json; the first category is the primary one."""

    stem: str
    id: str
    title: str
    authors: list[str]
    categories: list[str]
    style: str

    @property
    def file_name(self) -> str:
        """The name of the converted document."""
        return f"{self.id}.{'html' if self.style.startswith('html5') else 'xhtml'}"


@dataclass(frozen=True)
class Style:
    """How one kind of markup is made: latexmlpost's options, how metadata is added, and further edits."""

    options: tuple[str, ...]
    add_metadata: Callable[[str, Article], str] | None
    edits: tuple[Callable[[str], str], ...] = ()


def convert(article: Article) -> str:
    """Return the document of one article in the markup its catalogue entry asks for."""
    style = STYLES[article.style]
    source = SAMPLE / "latex" / f"{article.stem}.tex"
    with tempfile.TemporaryDirectory() as folder:
        xml, result = Path(folder, "article.xml"), Path(folder, article.file_name)
        run_latexml(["latexml", f"--destination={xml}", str(source)], folder)
        options = ["--nodefaultresources", "--timestamp=0", *style.options]
        run_latexml(["latexmlpost", *options, f"--destination={result}", str(xml)], folder)
        text = result.read_text(encoding="utf-8")
    for edit in (remove_traces, *style.edits):
        text = edit(text)
    return style.add_metadata(text, article) if style.add_metadata else text


def run_latexml(command: list[str], folder: str) -> None:
    """Run one LaTeXML program; apart from formulas it cannot parse, any warning is an error."""
    run = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    complaints = [line for line in run.stderr.splitlines() if re.match(r"(Warning|Error|Fatal):", line)]
    serious = [line for line in complaints if not line.startswith("Warning:not_parsed:")]
    if serious or run.returncode:
        raise RegenerationError(f"{command[-1]}: {serious[0] if serious else f'{command[0]} failed'}")


def remove_traces(text: str) -> str:
    """Remove the comment and the footer that say when and how the document was generated."""
    text = re.sub(r"<!--Generated .*?-->\n", "", text)
    return re.sub(r'<(div|footer) class="ltx_page_footer">.*?</\1>(\s*</\1>)?\n', "", text, flags=re.DOTALL)


def add_rdfa(text: str, article: Article) -> str:
    """Add arXMLiv's metadata at the start of the body."""
    properties = [("identifier", article.id), ("title", article.title)]
    properties += [("creator", author) for author in article.authors]
    properties += [("subject", category) for category in article.categories]
    rdfa = [
        f'<div class="RDFa" property="dct:{name}" content="{escape(value)}"/>\n' for name, value in properties
    ]
    text = text.replace("<html ", '<html xmlns:dct="http://purl.org/dc/terms/" ', 1)
    return text.replace("<body>\n", "<body>\n" + "".join(rdfa), 1)


def add_citation(text: str, article: Article) -> str:
    """Add citation meta tags to the head, which carry no categories."""
    tags = [
        ("arxiv_id", article.id),
        ("title", article.title),
        *(("author", author) for author in article.authors),
    ]
    meta = [f'<meta name="citation_{name}" content="{escape(value)}">\n' for name, value in tags]
    return text.replace("</head>", "".join(meta) + "</head>", 1)


def old_classes(theorem: str, title: str) -> Callable[[str], str]:
    """Return an edit that gives elements the class names of LaTeXML before 0.8.

    Args:
        theorem: The classes of a statement; its kind is told by its title alone.
        title: The class that says what a title is the title of, with `{}` for that; may be empty.
    """

    def rename(name: str) -> str:
        name = name.removeprefix("ltx_")
        if name == "theorem":
            return theorem
        if name.startswith("title_"):
            return title.format(name.removeprefix("title_"))
        return "" if name.startswith(("theorem_", "tag_", "runin", "eqn_")) else name.removeprefix("font_")

    def rename_all(match: re.Match[str]) -> str:
        if match["names"].startswith(("ltx_Math", "ltx_font_math")):
            return match[0]
        names = " ".join(filter(None, map(rename, match["names"].split())))
        return f' class="{names}"' if names else ""

    return lambda text: re.sub(r' class="(?P<names>ltx_[^"]*)"', rename_all, text)


def prefix_math(text: str) -> str:
    """Write MathML with the prefix `m:`, and fonts as `mathvariant`, as LaTeXML did until 2011."""

    def prefix(match: re.Match[str]) -> str:
        math = re.sub(r"<mi( class=\"\S*\")?>(.)</mi>", spell_out_font, match[0].replace(MATHML_XMLNS, "", 1))
        return re.sub(r"<(/?)(?=[a-z])", r"<\1m:", math)

    text = re.sub(r"<math .*?</math>", prefix, text, flags=re.DOTALL)
    return text.replace("<html ", f"<html{MATHML_XMLNS.replace('xmlns', 'xmlns:m')} ", 1)


def spell_out_font(match: re.Match[str]) -> str:
    """Turn an identifier such as 𝔭 or ℝ into a plain letter with a `mathvariant`."""
    name = unicodedata.name(match[2], "").removeprefix("MATHEMATICAL ")
    font = re.match(r"(BOLD|SCRIPT|FRAKTUR|BLACK-LETTER|DOUBLE-STRUCK) (CAPITAL|SMALL) ", name)
    if font is None or match[2] == "ℓ":
        return match[0]
    variant = font[1].lower().replace("black-letter", "fraktur")
    return f'<mi mathvariant="{variant}">{unicodedata.normalize("NFKC", match[2])}</mi>'


PRESENTATION = ("--pmml", "--mathtex")
STYLES: dict[str, Style] = {
    "xhtml-0.8": Style(PRESENTATION, add_rdfa),
    "parallel-0.8": Style(("--pmml", "--cmml", "--mathtex"), add_rdfa),
    "content": Style(("--cmml", "--mathtex"), add_rdfa),
    "html5-0.8": Style(PRESENTATION, add_citation),
    "html5-bare": Style(PRESENTATION, None),
    "xhtml-0.7.0": Style(PRESENTATION, add_rdfa, (old_classes("theorem", ""), prefix_math)),
    "xhtml-2011": Style(PRESENTATION, add_rdfa, (old_classes("theorem ltx_thm", "{}-title"), prefix_math)),
    "xhtml-2012": Style(PRESENTATION, add_rdfa, (old_classes("theorem ltx_thm", "{}-title"),)),
}


def require_latexml() -> None:
    """Raise an error unless the LaTeXML that made the sample is installed."""
    if not (shutil.which("latexml") and shutil.which("latexmlpost")):
        raise RegenerationError(f"latexml is not installed; install LaTeXML {LATEXML_VERSION} and try again.")
    run = subprocess.run(["latexml", "--VERSION"], capture_output=True, encoding="utf-8", check=True)
    if LATEXML_VERSION not in run.stdout + run.stderr:
        raise RegenerationError(
            f"The sample is made with LaTeXML {LATEXML_VERSION}; another version is installed."
        )


def regenerate(folder: Path, *, check: bool) -> list[str]:
    """Write all articles to `folder`, or only compare, and return the names of those that differ."""
    require_latexml()
    entries = json.loads((SAMPLE / "catalogue.json").read_text(encoding="utf-8"))
    articles = [Article(**entry) for entry in entries]
    folder.mkdir(exist_ok=True)
    stale = {path.name for path in folder.iterdir()} - {article.file_name for article in articles}
    differing = sorted(stale)
    if not check:
        for name in stale:
            (folder / name).unlink()
    with ThreadPoolExecutor(max_workers=2) as pool:
        for number, (article, text) in enumerate(zip(articles, pool.map(convert, articles), strict=True), 1):
            path, content = folder / article.file_name, text.encode("utf-8")
            same = path.exists() and path.read_bytes() == content
            if not same:
                differing.append(path.name)
            if not (same or check):
                path.write_bytes(content)
            print(f"{number:2}/{len(articles)} {path.name:18} {article.style:13} {article.stem}", flush=True)
    return differing


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(description="Regenerate the sample articles with LaTeXML.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if an article would change")
    check = parser.parse_args(arguments).check
    try:
        differing = regenerate(SAMPLE / "articles", check=check)
    except RegenerationError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{'out of date' if check else 'rewritten'}: {', '.join(differing) or 'none'}")
    return 1 if check and differing else 0


if __name__ == "__main__":
    sys.exit(main())
