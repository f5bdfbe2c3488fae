"""Reading prediction files: 1 GB of valid ones, and small ones that expand to gigabytes.

The task has 18,409 statements and proofs, as many as the paper's test set. A separate process evaluates
each file; peaks include the process that decodes Parquet.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.attacks.bombs import BOMBS, STATEMENTS

LISTED = 1_500  # proofs per statement, which makes 1 GB of JSON Lines


def benchmark(workplace: Path, _: Path) -> dict[str, Any]:
    """Write the files, and evaluate each."""
    honest = [write_lines(workplace / "honest.jsonl"), write_table(workplace / "honest.parquet")]
    found: dict[str, Any] = {"statements": STATEMENTS, "listed_proofs": LISTED}
    found["honest"] = [evaluate(path) for path in honest]
    for path in honest:
        path.unlink()
    found["bombs"] = []
    for name, write in BOMBS.items():
        write(workplace / name)
        found["bombs"].append(evaluate(workplace / name))
        (workplace / name).unlink()
    return found


def evaluate(path: Path) -> dict[str, Any]:
    """Evaluate a file in a process of its own."""
    command = [sys.executable, "-m", "tests.attacks.bombs", str(STATEMENTS), str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    taken = json.loads(run.stdout)
    return {name: taken[name] for name in ("file", "kb", "refused", "seconds", "peak_mb")}


def write_lines(path: Path) -> Path:
    """List for each statement the proofs that follow its own, with scores of 17 digits."""
    proofs = [f'"p{number % STATEMENTS}"' for number in range(STATEMENTS + LISTED)]
    scores = ", ".join(map(repr, _scores()))
    with path.open("w", encoding="ascii") as file:
        for number in range(STATEMENTS):
            listed = ", ".join(proofs[number : number + LISTED])
            file.write(f'{{"statement_id": "s{number}", "proof_ids": [{listed}], "scores": [{scores}]}}\n')
    return path


def write_table(path: Path) -> Path:
    """Write the same rows as Parquet."""
    proofs = [f"p{number % STATEMENTS}" for number in range(STATEMENTS + LISTED)]
    writer = None
    for start in range(0, STATEMENTS, 2000):
        rows = range(start, min(start + 2000, STATEMENTS))
        table = pa.table(
            {
                "statement_id": [f"s{number}" for number in rows],
                "proof_ids": [proofs[number : number + LISTED] for number in rows],
                "scores": [_scores()] * len(rows),
            }
        )
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()
    return path


def _scores() -> list[float]:
    return [1 / 3 - number / 7 for number in range(LISTED)]


def describe(found: dict[str, Any]) -> list[str]:
    """Say what was found."""
    return [
        f"{file['file']}: {file['kb'] / 1000:,.1f} MB {'refused' if file['refused'] else 'scored'} in "
        f"{file['seconds']:.1f} s with {file['peak_mb']:,.0f} MB of memory"
        for file in (*found["honest"], *found["bombs"])
    ]
