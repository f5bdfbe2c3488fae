"""The caches of a process do not grow with the documents that it reads, however odd they are."""

import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

PROGRAM = """
import sys
from proofmatch.builder.article import ArticleReader
from proofmatch.builder.filters import load_detector
from proofmatch.builder.settings import BuildSettings
from tests.memory import peak_mb

form, size, start = sys.argv[1], 500_000, 0.0
reader = ArticleReader(BuildSettings(min_tokens=0), load_detector("cld2"))
for number in range(170):
    text = form.replace("LONG", f"{number}" + "x" * size)
    page = f'<html><div class="theorem">{text}</div><div class="proof">{text}</div></html>'
    assert len(reader.read(page.encode(), "a.xhtml").pairs) == 1
    start = peak_mb() if number == 50 else start  # all is loaded
print(peak_mb() - start)
"""


@pytest.mark.parametrize(
    "form",
    [
        "LONG",
        "<math><mi>LONG</mi></math>",
        '<math><mi mathvariant="bold">LONG</mi></math>',
        '<math><mi class="LONG">x</mi></math>',
        "<math><ci>LONG</ci></math>",
    ],
    ids=["word", "symbol", "symbol with a font", "class", "content markup"],
)
def test_long_words_are_forgotten(form):
    # What was read after the start is 120 MB. The heap of the XSLT processor may grow, but hardly twice.
    assert any(growth_mb(form) < 60 for _ in range(2))


def growth_mb(form: str) -> float:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, form], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    return float(ran.stdout)
