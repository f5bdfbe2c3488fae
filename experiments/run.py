"""Computes our results and renders their tables, for `make results`, `models`, `ablation` and others."""

import argparse
import sys
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from proofmatch.builder import build_release
from proofmatch.builder.release.release import Release, open_release
from proofmatch.builder.release.schema import ALL
from proofmatch.builder.variants.renaming import SYMBOLS
from proofmatch.builder.variants.variant import make_variant
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.baselines import BASELINES, baseline_scores
from proofmatch.evaluation.decode import DECODINGS, decode
from proofmatch.evaluation.decoding.normalization import normalized_scores
from proofmatch.evaluation.decoding.scores import ScoreSource
from proofmatch.evaluation.evaluator import evaluate, rank_predictions
from proofmatch.evaluation.metrics import reciprocal_ranks
from proofmatch.evaluation.predictions import write_predictions
from proofmatch.evaluation.system import System
from proofmatch.evaluation.task import INPUTS, Task, load_task
from proofmatch.processors import configure_threads

from .store import EXPERIMENTS, Store, Work
from .tables import write_pages

CORPUS = EXPERIMENTS.parents[1] / "shared" / "corpus" / "stacks.tar.xz"

Systems = dict[str, dict[str, Any]]

_QUICK_DECODINGS = ("local", "global")
_NORMALIZATIONS = (
    {"method": "dual-softmax", "temperature": 1.0},
    {"method": "sinkhorn", "temperature": 1.0, "rounds": 20},
)
# The systems that are evaluated with normalized scores.
_NORMALIZED = ("fast-both", "fast-both-by-article")


def main(arguments: list[str]) -> int:
    """Run a command."""
    configure_threads()
    parser = argparse.ArgumentParser(prog="python -m experiments.run", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    baselines = commands.add_parser("baselines", help="the baselines; trained systems are not computed again")
    baselines.add_argument(
        "release", nargs="?", type=Path, help="a release folder; without it, the Stacks corpus is built"
    )
    models = commands.add_parser("models", help="train and evaluate the systems of models.toml, in hours")
    ablation = commands.add_parser("ablation", help="ablations, normalized scores and renamed symbols")
    for command in (models, ablation):
        command.add_argument("release", type=Path, help="a release folder")
        command.add_argument("models", type=Path, help="the folder of the models; training is resumed there")
        command.add_argument("names", nargs="*", metavar="NAME", help="some of the systems; default: all")
    transfer = commands.add_parser(
        "transfer", help="evaluate systems that were trained on another release, on all pairs of this one"
    )
    transfer.add_argument("release", type=Path, help="a release folder")
    transfer.add_argument("models", type=Path, help="the folder of the models")
    transfer.add_argument(
        "names", nargs="*", metavar="NAME", help="the systems, which must have been trained"
    )
    claims = commands.add_parser("claims", help="train and evaluate the systems of claims.toml, in hours")
    claims.add_argument("release", type=Path, help="a release folder")
    claims.add_argument("models", type=Path, help="the folder of the models; training is resumed there")
    claims.add_argument("names", nargs="*", metavar="NAME", help="only these, such as local-5-text-seed-1")
    files = commands.add_parser("files", help="write result files for `proofmatch leaderboard`")
    files.add_argument("id", help="the name of a release, such as stacks")
    files.add_argument("out", type=Path, help="the folder of the files")
    options = parser.parse_args(arguments)
    if options.command == "files":
        Store(options.id).write_files(options.out)
        return 0
    try:
        with tempfile.TemporaryDirectory() as workplace:
            folder = options.release or _build_corpus(Path(workplace, "stacks"))
            release = open_release(folder)
            store = Store(release.id)
            if options.command == "baselines":
                run_baselines(release, store)
            elif options.command == "models":
                run_models(release, store, options.models, options.names)
            elif options.command == "transfer":
                run_transfer(release, store, options.models, options.names)
            elif options.command == "claims":
                run_claims(release, store, options.models, options.names)
            else:
                run_ablation(release, store, options.models, options.names)
    except ProofmatchError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(write_pages())
    return 0


def _build_corpus(out: Path) -> Path:
    if not CORPUS.exists():
        raise ProofmatchError("give a release, or put the corpus at ../shared/corpus/stacks.tar.xz")
    return build_release(CORPUS, out, license="gfdl")


def run_baselines(release: Release, store: Store) -> None:
    """Evaluate the baselines on both splits with every input."""
    for by_article, name, input_ in product((False, True), BASELINES, INPUTS):
        task = load_task(release, "test", by_article=by_article)
        results = evaluate_decodings(
            task, baseline_scores(name, task, input_), System(name, input_, trained_on=[])
        )
        store.replace_results("main", f"{name}-{input_}", results)


def run_models(release: Release, store: Store, models: Path, names: Sequence[str] = ()) -> None:
    """Train all or the named systems of `models.toml`, and evaluate them on validation and test."""
    from proofmatch.training.prediction import model_scores

    from .systems import describe, load_history, read_systems, task_of, trained_system

    systems = read_systems("models")
    for name in _chosen(names, systems, "models.toml"):
        print(f"{name}:", flush=True)
        model = trained_system(release, models, name, systems[name])
        if (history := load_history(models, name)) is not None:
            store.replace_history(name, history)
        described = describe(name, systems[name], models)
        for split, group in (("validation", "validation"), ("test", "main")):
            task = task_of(release, systems[name], split)
            store.replace_results(group, name, evaluate_decodings(task, model_scores(model, task), described))


def _chosen(names: Sequence[str], systems: Collection[str], listed_in: str) -> Collection[str]:
    """Return the named systems, or all of them if no name is given."""
    if unknown := set(names) - set(systems):
        raise ProofmatchError(
            f"no system of {listed_in} is called {', '.join(sorted(unknown))}; they are {', '.join(systems)}"
        )
    return names or systems


def run_transfer(release: Release, store: Store, models: Path, names: Sequence[str]) -> None:
    """Evaluate systems on all pairs of a release that they were not trained on, and the baselines."""
    from proofmatch.training.prediction import count_seen, load_matcher, model_scores

    from .systems import describe, read_systems

    task = load_task(release, ALL)
    for baseline in BASELINES:
        scores, described = baseline_scores(baseline, task), System(baseline, "both", trained_on=[])
        results = evaluate_decodings(task, scores, described, _QUICK_DECODINGS)
        store.replace_results("transfer", baseline, results, _by_work(task, scores))
    systems = read_systems("models")
    for name in names:
        model = load_matcher(models / name)
        seen = count_seen(model, task, name).seen_answers  # refuses a release whose answers it has seen
        described = replace(describe(name, systems[name], models), seen_answers=seen)
        scores = model_scores(model, task)
        results = evaluate_decodings(task, scores, described, _QUICK_DECODINGS)
        store.replace_results("transfer", name, results, _by_work(task, scores))


def _by_work(task: Task, scores: ScoreSource) -> dict[str, Work]:
    """Score a ranking work by work; an article's id begins with the names of its corpus and work."""
    pairs = task.release.table(task.config, task.split, ["statement_id", "article_id"])
    article_of = dict(zip(*(column.to_pylist() for column in pairs.columns), strict=True))
    reciprocal = reciprocal_ranks(rank_predictions(scores, task.required_gold).ranks)
    by_work: dict[str, list[float]] = {}
    for statement, value in zip(task.statement_ids, reciprocal.tolist(), strict=True):
        by_work.setdefault(".".join(article_of[statement].split(".")[:2]), []).append(value)
    return {
        work: {"n": len(values), "mrr": sum(values) / len(values)}
        for work, values in sorted(by_work.items(), key=lambda item: -len(item[1]))
    }


def run_claims(release: Release, store: Store, models: Path, names: Sequence[str] = ()) -> None:
    """Train all or the named systems of `claims.toml`, and evaluate them on validation and test."""
    from proofmatch.training.prediction import model_scores

    from .systems import describe, load_history, read_claims, task_of, trained_system

    systems = read_claims()
    for name in _chosen(names, systems, "claims.toml"):
        print(f"{name}:", flush=True)
        system = systems[name]
        model = trained_system(release, models, name, system)
        store.replace_history(name, load_history(models, name) or [])
        for split in ("validation", "test"):
            task = task_of(release, system, split)
            results = evaluate_decodings(
                task, model_scores(model, task), describe(name, system, models), _QUICK_DECODINGS
            )
            store.replace_results(f"claims/{split}", name, results)


def run_ablation(release: Release, store: Store, models: Path, names: Sequence[str] = ()) -> None:
    """Train all or the named systems of `ablation.toml`, and evaluate the systems of `models.toml` further.

    The latter must have been trained. They are evaluated with scores normalized over all candidates, and on
    proofs with renamed variables.
    """
    from .systems import read_systems

    ablation = read_systems("ablation")
    systems = ablation | read_systems("models")
    chosen = _chosen(names, systems, "ablation.toml or models.toml")
    if missing := [name for name in names if name not in ablation and not (models / name).is_dir()]:
        raise ProofmatchError(f"train {', '.join(missing)} first, by `make models`")
    _ablate(release, store, models, {name: ablation[name] for name in chosen if name in ablation})
    present = {name: systems[name] for name in chosen if (models / name).is_dir()}
    _normalize(release, store, models, present)
    _rename_symbols(release, store, models, present)


def _ablate(release: Release, store: Store, models: Path, systems: Systems) -> None:
    from proofmatch.training.prediction import model_scores

    from .systems import describe, task_of, trained_system

    for name, system in systems.items():
        print(f"{name}:", flush=True)
        model, task = trained_system(release, models, name, system), task_of(release, system)
        described = describe(name, system, models)
        results = evaluate_decodings(task, model_scores(model, task), described, _QUICK_DECODINGS)
        store.replace_results("ablation", name, results)


def _normalize(release: Release, store: Store, models: Path, systems: Systems) -> None:
    from proofmatch.training.prediction import load_matcher, model_scores

    from .systems import describe, task_of

    for name in systems.keys() & set(_NORMALIZED):
        task, system = task_of(release, systems[name]), describe(name, systems[name], models)
        scores = model_scores(load_matcher(models / name), task)
        results = []
        for normalization in _NORMALIZATIONS:
            described = replace(system, transductive=True, normalization=normalization)
            results += evaluate_decodings(
                task, normalized_scores(scores, **normalization), described, ("local",)
            )
        store.replace_results("transductive", name, results)


def _rename_symbols(release: Release, store: Store, models: Path, systems: Systems) -> None:
    from proofmatch.training.prediction import load_matcher, model_scores

    from .systems import describe

    with tempfile.TemporaryDirectory() as workplace:
        for symbols, by_article in product(SYMBOLS, (False, True)):
            folder = Path(workplace, symbols)
            renamed = open_release(make_variant(release.folder, folder, symbols=symbols))
            task, group = load_task(renamed, "test", by_article=by_article), f"symbols/{symbols}"
            for baseline in BASELINES:
                scores, described = baseline_scores(baseline, task), System(baseline, "both", trained_on=[])
                results = evaluate_decodings(task, scores, described, _QUICK_DECODINGS)
                store.replace_results(group, baseline, results)
            for name, system in systems.items():
                if system.get("by_article", False) == by_article:
                    scores = model_scores(load_matcher(models / name), task)
                    results = evaluate_decodings(
                        task, scores, describe(name, system, models), _QUICK_DECODINGS
                    )
                    store.replace_results(group, name, results)


def evaluate_decodings(
    task: Task, scores: ScoreSource, system: System, decodings: Sequence[str] = DECODINGS
) -> list[dict[str, Any]]:
    """Decode scores in several ways and evaluate each.

    Args:
        task: The split.
        scores: The scores of all its pairs.
        system: The system without its decoding.
        decodings: The decodings.

    Returns:
        The content of a result file for each decoding.
    """
    results = []
    for decoding in decodings:
        decoded = decode(scores, decoding)
        described = replace(system, decoding=decoding, extra={**system.extra, "details": decoded.details})
        with tempfile.TemporaryDirectory() as workplace:
            predictions = Path(workplace, "predictions.jsonl")
            write_predictions(predictions, decoded.batches(task.statement_ids, task.proof_ids), described)
            result = evaluate(predictions, task.release, task.split, by_article=task.by_article)
        results.append(result.as_dict())
    return results


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
