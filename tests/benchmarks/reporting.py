"""A report about 18,409 statements, as many as the paper's test set has: its size and loading time.

The texts are real, each repeated several times with a unique word added, so that all copies are stored. The
predictions are bad on purpose: nearly all are wrong, and each lists 100 proofs.
"""

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.benchmarks.measuring import measure

STATEMENTS = 18_409
LISTED = 100
BEST = 3  # of ten statements have their right proof first
PROGRAM = [sys.executable, "-m", "proofmatch"]


def benchmark(workplace: Path, corpus: Path) -> dict[str, Any]:
    """Build the corpus, enlarge its test split, predict at random, report, and open the page."""
    small, release = workplace / "small", workplace / "release"
    measure([*PROGRAM, "build", str(corpus), "--out", str(small)])
    tokens = make_release(small, release, STATEMENTS)
    predictions = make_predictions(release, workplace / "random.parquet")
    found: dict[str, Any] = {"statements": STATEMENTS, "listed_proofs": LISTED, **tokens, "pages": []}
    for most in (24.0, 5.0):
        page = workplace / "report.html"
        used = measure(
            [
                *PROGRAM,
                *("report", str(predictions), "--data", str(release), "--out", str(page)),
                *("--max-mb", str(most)),
            ],
            memory=True,
        )
        found["pages"].append(
            {
                "max_mb": most,
                "mb": page.stat().st_size / 1e6,
                "seconds": used.wall_seconds,
                "peak_mb": used.peak_driver_mb,
                **open_page(page),
            }
        )
    return found


def make_release(small: Path, release: Path, n: int) -> dict[str, float]:
    """Write a release with one split of so many pairs, made from those of a smaller one."""
    parts = [pq.read_table(path) for path in sorted(small.glob("data/pairs/*.parquet"))]
    pairs = pa.concat_tables(parts)
    rows = pairs.take(pa.array(np.arange(n) % len(pairs))).to_pylist()
    for number, row in enumerate(rows):
        row["statement_id"], row["proof_id"] = f"s-{number * 7919 % n:06}", f"p-{number * 104_729 % n:06}"
        row["id"] = f"pair-{number:06}"
        for side in ("statement", "proof"):
            row[side] += f" (copy{number})"
            row[f"{side}_tokens"] = [*row[f"{side}_tokens"], f"t:copy{number}"]
    tables = {"pairs": pa.Table.from_pylist(rows, pairs.schema)}
    for side in ("statement", "proof"):
        columns = {f"{side}_id": f"{side}_id", "text": side, "tokens": f"{side}_tokens"}
        table = pa.table({name: tables["pairs"][column] for name, column in columns.items()})
        tables[f"{side}s"] = table.sort_by(f"{side}_id")
    files = {}
    for config, table in tables.items():
        name = f"data/{config}/test-00000-of-00001.parquet"
        (release / name).parent.mkdir(parents=True)
        pq.write_table(table, release / name)
        files[name] = {"sha256": _sha256(release / name)}
    manifest = json.loads((small / "manifest.json").read_text())
    (release / "manifest.json").write_text(json.dumps({**manifest, "files": files}))
    shutil.copy(small / "README.md", release)
    return {
        f"characters_per_{side}": float(np.mean([len(row[side]) for row in rows]))
        for side in ("statement", "proof")
    }


def make_predictions(release: Path, path: Path) -> Path:
    """Write predictions in which few statements have their right proof first, and most have it somewhere."""
    pairs = pq.read_table(release / "data/pairs/test-00000-of-00001.parquet")
    proofs = np.array(pairs["proof_id"].to_pylist())
    generator = np.random.default_rng(0)
    lists = []
    for right in range(len(proofs)):
        some = np.unique(generator.integers(0, len(proofs), LISTED + 10))
        some = generator.permutation(some[some != right])[: LISTED - 1]
        rank = 0 if right % 10 < BEST else int(generator.integers(1, LISTED))
        lists.append(proofs[np.insert(some, min(rank, len(some)), right)].tolist())
    scores = [np.linspace(1, 0, len(listed)).tolist() for listed in lists]
    table = {"statement_id": pairs["statement_id"], "proof_ids": lists, "scores": scores}
    pq.write_table(pa.table(table), path)
    return path


def open_page(page: Path) -> dict[str, float]:
    """Open a page in the browser: seconds until the first match is shown, and for what readers do next."""
    from playwright.sync_api import sync_playwright

    from tests.browser.fixtures import OFFLINE, find_chromium

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=OFFLINE)
        seen = browser.new_page()
        seen.goto("about:blank")
        began = time.perf_counter()
        seen.goto(page.as_uri())
        seen.wait_for_selector("#match .text.rival math")
        opened = time.perf_counter() - began
        first = seen.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
        steps = {
            "next_seconds": lambda: seen.keyboard.press("j"),
            "filter_seconds": lambda: seen.select_option("#rank", "11-100"),
            "search_seconds": lambda: seen.fill("#search", "copy1234"),
        }
        found = {"first_paint_seconds": first, "usable_seconds": opened}
        for name, act in steps.items():
            before = seen.text_content("#match .text.statement")
            began = time.perf_counter()
            act()
            seen.wait_for_function(
                "before => document.querySelector('#match .text.statement')?.textContent !== before",
                arg=before,
            )
            found[name] = time.perf_counter() - began
        browser.close()
    return found


def _sha256(path: Path) -> str:
    from proofmatch.storage import sha256_of

    return sha256_of(path)


def describe(found: dict[str, Any]) -> list[str]:
    """Say what was found."""
    return [
        f"at most {page['max_mb']:.0f} MB: {page['mb']:.1f} MB, written in {page['seconds']:.0f} s with "
        f"{page['peak_mb']:.0f} MB of memory; usable after {page['usable_seconds']:.2f} s, "
        f"next match {page['next_seconds']:.2f} s, filter {page['filter_seconds']:.2f} s, "
        f"search {page['search_seconds']:.2f} s"
        for page in found["pages"]
    ]
