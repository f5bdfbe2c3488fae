"""Makes the README's table of the demo, and the picture of a wrong match in its report."""

import argparse
import re
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from experiments.tables import update_between_marks
from proofmatch.cli import main
from tests.browser.fixtures import OFFLINE, find_chromium
from tests.conftest import REPOSITORY

_SIZE = {"width": 1180, "height": 640}
_COLOURS = 64  # enough for a page, and a third of the size


def take_picture(report: Path, out: Path) -> None:
    """Photograph the first wrong match of a report."""
    program = find_chromium()
    if program is None:
        raise SystemExit("no chromium on this machine: apt install chromium, or set PROOFMATCH_CHROMIUM")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=OFFLINE)
        page = browser.new_page(viewport=_SIZE, color_scheme="light", reduced_motion="reduce")
        page.goto(report.absolute().as_uri())
        page.wait_for_selector("#match .rival")
        page.evaluate("document.querySelector('.browser').scrollIntoView(); scrollBy(0, -12)")
        page.screenshot(path=out)
        browser.close()
    with Image.open(out) as picture:
        picture.convert("RGB").quantize(_COLOURS).save(out, optimize=True)


def table_of(said: str) -> str:
    """Find the table in the output of the demo."""
    found = re.search(r"^ +MRR .*\n─+\n(?:\S.*\n)+", said, re.MULTILINE)
    assert found, said
    return found[0].rstrip("\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    chosen = parser.parse_args().out
    with tempfile.TemporaryDirectory() as folder:
        with redirect_stdout(StringIO()) as said:
            if main(["demo", "--out", folder]) != 0:
                raise SystemExit("the demo failed; run `proofmatch demo` to see why")
        update_between_marks(REPOSITORY / "README.md", "demo", f"```text\n{table_of(said.getvalue())}\n```\n")
        take_picture(Path(folder, "report.html"), chosen)
    print(f"{chosen}: {chosen.stat().st_size / 1e3:.0f} kB")
