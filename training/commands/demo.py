"""`proofmatch demo`: build, train, match, evaluate and report on the embedded sample."""

import argparse
import shutil
import sys
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from textwrap import fill, indent, shorten
from typing import TYPE_CHECKING

from proofmatch.progress import no_progress

from ...builder.sample import SAMPLE_LICENSE, sample_articles

if TYPE_CHECKING:
    import pyarrow as pa

    from ...evaluation.decoding.scores import ScoreSource
    from ...evaluation.result import Result
    from ...evaluation.system import System
    from ...evaluation.task import Task

EXAMPLE = "proofmatch demo --out demo"

_QUESTION = "Every closed subset of a compact space is compact."
_BASELINES = {"tfidf": "TF-IDF", "bm25": "BM25"}
_WIDTH = 100
_LONGEST = 300  # characters shown of a text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="folder to write")


def run(options: argparse.Namespace) -> int:
    """Build the sample, train a model, compare it with two baselines, and write the report."""
    from ...builder.building import build_release
    from ...builder.release.release import load_release
    from ...builder.release.schema import SPLITS
    from ...builder.variants.variant import make_variant
    from ...evaluation.report.page import write_report
    from ...evaluation.task import load_task

    out: Path = options.out
    print("Building a release from the embedded articles …", flush=True)
    with no_progress():
        release = load_release(build_release(sample_articles(), out / "release", license=SAMPLE_LICENSE))
        sizes = {split: len(release.table("pairs", split, ["id"])) for split in SPLITS}
        renamed = load_release(make_variant(release.folder, out / "renamed", symbols="full"))
        tasks = load_task(release, "test"), load_task(renamed, "test")
    task = tasks[0]
    counts = ", ".join(f"{count} {split}" for split, count in sizes.items())
    print(f"{out / 'release'} has {sum(sizes.values())} pairs of a statement and its proof ({counts}).")
    pair = release.table("pairs", "test", ["kind", "title", "statement", "proof"]).slice(0, 1).to_pylist()[0]
    print(f"\nOne of them, a {pair['kind']} in “{pair['title']}”:\n")
    print(f"{_excerpt(pair['statement'])}\n\n{_excerpt(pair['proof'])}\n")

    systems = {title: _match_baseline(name, tasks, out) for name, title in _BASELINES.items()}
    if find_spec("torch") is None:
        print("Nothing is trained, because torch is not installed: pip install 'proofmatch[train]'\n")
    else:
        print(f"Training a matcher on {sizes['train']} pairs (preset fast) …", flush=True)
        systems["fast"] = _match_trained(tasks, out)
    n = len(task.statement_ids)
    print(f"Scores in percent, on {n} statements and {n} proofs (one statement is {100 / n:.1f}):\n")
    print(_table(systems))
    print("\none-to-one: accuracy of the best matching that uses each proof once")
    print("variables renamed: accuracy if all variables of the proofs have other names")
    name, scores = next(reversed(systems.items()))
    with no_progress():
        write_report(_predictions(out, name, "local"), release, out=out / "report.html")
    _show_wrong_match(name, scores.local, task)
    _show_next(out, _predictions(out, name, "local"))
    return 0


@dataclass(frozen=True, slots=True)
class _Scores:
    """The results of a system: ranking, one-to-one matching, and ranking of proofs with renamed variables."""

    local: "Result"
    exact: "Result"
    renamed: "Result"


def _match_baseline(name: str, tasks: "tuple[Task, Task]", out: Path) -> _Scores:
    from ...evaluation.baselines import baseline_scores, choose_ngrams
    from ...evaluation.system import System

    with no_progress():
        ngrams = choose_ngrams(tasks[0].release, "both").ngrams if name == "bm25" else None
        sources = [baseline_scores(name, task, "both", ngrams=ngrams) for task in tasks]
        return _match(System(_BASELINES[name], "both", trained_on=[]), sources, tasks, out)


def _match_trained(tasks: "tuple[Task, Task]", out: Path) -> _Scores:
    from ..prediction import count_seen, load_matcher, model_scores
    from ..run import train_matcher
    from ..settings import load_settings

    model = out / "model"
    with no_progress():
        resume = (model / "run.json").exists()
        train_matcher(tasks[0].release, load_settings("fast"), model, resume=resume)
        matcher = load_matcher(model)
        sources = [model_scores(matcher, task) for task in tasks]
        return _match(count_seen(matcher, tasks[0], "fast"), sources, tasks, out)


def _match(system: "System", sources: "list[ScoreSource]", tasks: "tuple[Task, Task]", out: Path) -> _Scores:
    """Write predictions and results: both decodings of the first task, and a ranking of the second."""
    from ...evaluation.decode import decode
    from ...evaluation.evaluator import evaluate
    from ...evaluation.predictions import write_predictions

    results = []
    for which, decoding, at in (("local", "local", 0), ("exact", "exact", 0), ("renamed", "local", 1)):
        path, task = _predictions(out, system.name, which), tasks[at]
        batches = decode(sources[at], decoding).batches(task.statement_ids, task.proof_ids)
        write_predictions(path, batches, replace(system, decoding=decoding))
        results.append(evaluate(path, task.release, task.split, out=path.with_suffix(".result.json")))
    return _Scores(*results)


def _predictions(out: Path, system: str, which: str) -> Path:
    return out / f"{system.lower()}-{which}.jsonl"


def _table(systems: dict[str, _Scores]) -> str:
    """Lay out the scores in percent, a line for each system."""
    lines = [f"{'':10}{'MRR':>8}{'accuracy':>12}{'one-to-one':>14}{'variables renamed':>21}", "─" * 65]
    for name, scores in systems.items():
        local = scores.local.measures
        figures = [
            local.mrr,
            local.accuracy,
            scores.exact.measures.accuracy,
            scores.renamed.measures.accuracy,
        ]
        cells = [f"{100 * figure:{width}.1f}" for figure, width in zip(figures, (8, 12, 14, 21), strict=True)]
        lines.append(f"{name:10}{''.join(cells)}")
    return "\n".join(lines)


def _show_wrong_match(name: str, result: "Result", task: "Task") -> None:
    wrong = (result.ranks != 1).nonzero()[0]
    if not len(wrong):
        print(f"\n{name} has no wrong match.")
        return
    statement = int(wrong[0])
    gold = int(task.required_gold[statement])
    statements, proofs = (
        task.release.table(config, task.split, ["text"])["text"] for config in ("statements", "proofs")
    )
    print(f"\nA wrong match of {name}; the right proof has rank {result.ranks[statement]}.\n")
    for title, texts, at in (
        ("statement", statements, statement),
        ("right proof", proofs, gold),
        ("predicted proof", proofs, int(result.first_choices[statement])),
    ):
        print(f"{title}:\n{_excerpt(_text(texts, at))}\n")


def _text(texts: "pa.ChunkedArray", at: int) -> str:
    return texts[at].as_py()


def _excerpt(text: str) -> str:
    return indent(fill(shorten(text, _LONGEST, placeholder=" …"), _WIDTH - 4, break_long_words=False), "    ")


def _show_next(out: Path, predictions: Path) -> None:
    """Print commands that work as they are, even if `proofmatch` is not on the PATH."""
    command = "proofmatch"
    if shutil.which(command) is None:
        command = f"{sys.executable} -m proofmatch" if sys.argv[0].endswith(".py") else sys.argv[0]
    release, model = quote(str(out / "release")), quote(str(out / "model"))
    print(f"{out / 'report.html'} has the scores, charts and wrong matches; open it in a browser. Next:\n")
    print(f"  {command} search {model} --data {release} {quote(_QUESTION)}")
    print(f"  {command} evaluate {quote(str(predictions))} --data {release} --split test")
    print(f"  {command} import waylonli/MATcH --out match   # the paper's 184,094 pairs")
