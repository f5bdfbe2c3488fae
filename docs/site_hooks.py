"""What MkDocs cannot do by itself: pages from outside of `docs/`, links to them, sources of the reference.

Pages are written for readers of the repository, where links to files work. On the site, a link to a page of
the site leads there, a figure is copied, and a link to any other file of the repository becomes plain text.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from shutil import rmtree

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parents[1]
# File of the repository → page of the site.
OTHERS = {
    "README.md": "index.md",
    "experiments/README.md": "results.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
PACKAGES = ("builder", "dataset_card", "evaluation", "training")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)")
_EXAMPLE = re.compile(r"^( +)Example:$", re.MULTILINE)
_SHORT_CODE = re.compile(r"<code>([^<\n]{1,30})</code>")
_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)


def on_startup(**_: object) -> None:
    """Lay out the packages as their import names say, which the reference reads."""
    root = REPOSITORY / "build" / "reference" / "proofmatch"
    rmtree(root, ignore_errors=True)
    for package in ("", *PACKAGES):  # griffe does not follow links
        folder = REPOSITORY / (package or "proofmatch")
        for module in folder.rglob("*.py"):
            copy = root / package / module.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            # In a section `Example`, unlike `Examples`, mkdocstrings takes `>>>` for quotations.
            text = module.read_text(encoding="utf-8")
            copy.write_text(_EXAMPLE.sub(r"\1Examples:", text), encoding="utf-8")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside of `docs/`, and the figures that pages show."""
    for source, page in OTHERS.items():
        text = (REPOSITORY / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for figure in _figures():
        files.append(File.generated(config, _place(figure), abs_src_path=str(REPOSITORY / figure)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite links as the site needs them."""
    del config
    origin = next(
        (name for name, made in OTHERS.items() if made == page.file.src_uri), f"docs/{page.file.src_uri}"
    )

    def rewrite(match: re.Match[str]) -> str:
        mark, text, link, anchor = match[1], match[2], match[3], match[4] or ""
        if not link:
            return match[0]
        target = normpath(PurePosixPath(origin).parent / link)
        if not (REPOSITORY / target).exists():
            raise PluginError(f"{origin} links to {link}, which does not exist")
        place = OTHERS.get(target) or (_place(target) if mark else target.removeprefix("docs/"))
        is_here = mark or target in OTHERS or target.startswith("docs/")
        file = files.get_file_from_path(place) if is_here else None
        if file is None or file.inclusion.is_excluded():
            return f"`{text}`" if "/" in text and " " not in text and "`" not in text else text
        return f"{mark}[{text}]({relpath(place, PurePosixPath(page.file.src_uri).parent)}{anchor})"

    parts = _FENCED.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(rewrite, part) for part in parts)


def on_page_content(html: str, **_: object) -> str:
    """Mark short code, which the style keeps in one line: browsers break `--set` after a hyphen."""
    return _SHORT_CODE.sub(r'<code class="short">\1</code>', html)


def _place(target: str) -> str:
    """Where a figure of the repository is on the site."""
    return target.removeprefix("docs/") if target.startswith("docs/") else f"figures/{target}"


def _figures() -> list[str]:
    """Figures outside of `docs/` that a page shows."""
    pages = [*OTHERS, *(f"docs/{page.name}" for page in (REPOSITORY / "docs").glob("*.md"))]
    found = set()
    for page in pages:
        for mark, _, link, _ in _LINK.findall((REPOSITORY / page).read_text(encoding="utf-8")):
            target = normpath(PurePosixPath(page).parent / link)
            if mark and not target.startswith("docs/"):
                found.add(target)
    return sorted(found)
