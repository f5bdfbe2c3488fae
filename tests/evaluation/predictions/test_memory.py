"""Pinned here: memory does not grow with the prediction file."""

import json
import subprocess
import sys

PROGRAM = """
import sys
from pathlib import Path
from proofmatch.evaluation.judging import judge
from tests.evaluation.tasks import make_task
from tests.memory import peak_mb

task = make_task(2000)
before = peak_mb()
judge(Path(sys.argv[1]), task)
print(peak_mb() - before)
"""


def test_a_file_of_100_megabytes_is_read_in_less_than_its_content_takes(tmp_path, request):
    n = 2000
    proofs = json.dumps([f"p{proof}" for proof in range(n)])
    scores = json.dumps([1 - proof / 7e6 for proof in range(n)])
    path = tmp_path / "x.jsonl"
    with path.open("w") as file:
        for statement in range(n):
            file.write(f'{{"statement_id": "s{statement}", "proof_ids": {proofs}, "scores": {scores}}}\n')
    assert path.stat().st_size > 100e6
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=request.config.rootpath,
    )
    path.unlink()
    assert float(ran.stdout) < 250  # Python's strings and numbers for the whole content take 500
