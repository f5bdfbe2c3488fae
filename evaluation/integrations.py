"""A release in other evaluation frameworks: tasks for mteb, evaluators for sentence-transformers.

Both libraries are in the extra `integrations`, and imported only when a function here is called.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ..builder.release.release import Release, open_release
from ..builder.release.schema import CARD, config_name
from ..dataset_card.templates import render
from .baselines import baseline_scores, choose_ngrams
from .decoding.candidates import best_candidates
from .task import Task, load_task

if TYPE_CHECKING:
    from mteb.abstasks import AbsTaskRetrieval
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

__all__ = ["information_retrieval_evaluator", "mteb_task"]

_INSTRUCTION = "Given a mathematical statement, retrieve its proof"
_DESCRIPTION = (
    "Match statements of research-level mathematics (theorems, lemmas, propositions) with their proofs: each "
    "statement has one proof, to be found among the proofs of all statements of the split. Texts have their "
    "formulas in TeX."
)
# mteb has names for few licences, and accepts URLs for others.
_OTHER_LICENSES = {"gfdl": "https://www.gnu.org/licenses/fdl.html"}


def __dir__() -> list[str]:
    return __all__


def mteb_task(
    release: Release | str | Path,
    split: str = "test",
    by_article: bool = False,
    *,
    top_ranked: int | Mapping[str, Sequence[str]] | None = None,
) -> "AbsTaskRetrieval":
    """Make a task for `mteb.evaluate(model, tasks=[task])`: statements are queries, proofs the corpus.

    The name of the task contains a hash of the release, because mteb keeps results by the names of tasks.
    mteb breaks ties by the ids of the proofs; `proofmatch evaluate --ties trec` prints scores by both rules.

    Args:
        release: A release, its folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split.
        by_article: Whether it is the split by article.
        top_ranked: For a reranking task: the ids of the proofs to rank for each statement, or how many of the
            best proofs by BM25 to rank.

    Raises:
        ProofmatchError: If the release is sealed, or a list names an id that is not in the split.

    Example:
        >>> mteb.evaluate(model, tasks=[mteb_task("release")])  # doctest: +SKIP
    """
    _require("mteb")
    from datasets import Dataset
    from mteb.abstasks import AbsTaskRetrieval
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
    from mteb.abstasks.task_metadata import TaskMetadata

    task = load_task(_opened(release), split, by_article=by_article)
    gold = [task.proof_ids[place] for place in task.required_gold]
    lists = _lists(task, top_ranked)
    kind = "Retrieval" if lists is None else "Reranking"
    of, words = task.release, re.findall("[A-Za-z0-9]+", task.release.id)
    name = "".join(word[0].upper() + word[1:] for word in words) + "ByArticle" * by_article

    class ProofTask(AbsTaskRetrieval):
        metadata = TaskMetadata(
            name=f"{name}Proof{kind}-{of.manifest_sha256[:8]}",
            description=_DESCRIPTION,
            reference=f"https://huggingface.co/datasets/{of.id}"
            if of.revision
            else "https://arxiv.org/abs/2102.02110",
            dataset={"path": of.id, "revision": of.revision or of.manifest_sha256},
            type=kind,
            category="t2t",
            modalities=["text"],
            eval_splits=[split],
            eval_langs=["eng-Latn"],
            main_score="ndcg_at_10",
            domains=["Academic", "Written"],
            task_subtypes=["Reasoning as Retrieval"],
            license=_license(of),
            annotations_creators="derived",
            dialect=[],
            sample_creation="found",
            prompt={"query": _INSTRUCTION},  # pyright: ignore[reportArgumentType] - their type is made at run time
            bibtex_citation=render("citations.bib"),
        )

        def load_data(self, *_: Any, **__: Any) -> None:  # noqa: ANN401 - the library's
            if self.data_loaded:
                return
            statements, proofs = (_texts(task, side) for side in ("statement", "proof"))
            self.dataset = {
                "default": {
                    split: RetrievalSplitData(
                        corpus=Dataset(proofs),
                        queries=Dataset(statements),
                        relevant_docs={
                            one: {proof: 1} for one, proof in zip(task.statement_ids, gold, strict=True)
                        },
                        top_ranked=lists,
                    )
                }
            }
            self.data_loaded = True

        def evaluate(self, model: Any, *others: Any, **options: Any) -> Any:  # noqa: ANN401 - the library's
            # Our own matchers read the typed tokens of the release, which texts do not contain.
            if hasattr(model, "mteb_model"):
                model = model.mteb_model(_tokens(task))
            return super().evaluate(model, *others, **options)

    return ProofTask()


def information_retrieval_evaluator(
    release: Release | str | Path,
    split: str = "validation",
    by_article: bool = False,
    **options: Any,  # noqa: ANN401 - the library's
) -> "InformationRetrievalEvaluator":
    """Make an evaluator for models of sentence-transformers: statements are queries, proofs the corpus.

    Args:
        release: A release, its folder, or `OWNER/NAME[@REVISION]` on the Hub.
        split: The split.
        by_article: Whether it is the split by article.
        **options: Options of `InformationRetrievalEvaluator`, such as `batch_size`.

    Raises:
        ProofmatchError: If the release is sealed.

    Example:
        >>> information_retrieval_evaluator("release")(model)  # doctest: +SKIP
    """
    _require("sentence_transformers")
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    task = load_task(_opened(release), split, by_article=by_article)
    gold = [task.proof_ids[place] for place in task.required_gold]
    statements, proofs = (
        dict(zip(table["id"].to_pylist(), table["text"].to_pylist(), strict=True))
        for table in (_texts(task, side) for side in ("statement", "proof"))
    )
    name = f"{task.release.id.replace('/', '-')}-{split}{'-by-article' * by_article}"
    defaults = {"name": name, "write_csv": False}
    return InformationRetrievalEvaluator(
        statements,
        proofs,
        {statement: {proof} for statement, proof in zip(task.statement_ids, gold, strict=True)},
        **{**defaults, **options},
    )


def _require(package: str) -> None:
    if find_spec(package) is None:
        raise ModuleNotFoundError(
            f"{package} is not installed; run pip install 'proofmatch[integrations]'", name=package
        )


def _opened(release: Release | str | Path) -> Release:
    return release if isinstance(release, Release) else open_release(release)


def _texts(task: Task, side: str) -> pa.Table:
    table = config_name(f"{side}s", task.by_article)
    return task.release.table(table, task.split, [f"{side}_id", "text"]).rename_columns(["id", "text"])


def _tokens(task: Task) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for side in ("statement", "proof"):
        table = config_name(f"{side}s", task.by_article)
        columns = task.release.table(table, task.split, [f"{side}_id", "tokens"]).columns
        found |= dict(zip(*(column.to_pylist() for column in columns), strict=True))
    return found


def _lists(task: Task, top_ranked: int | Mapping[str, Sequence[str]] | None) -> dict[str, list[str]] | None:
    """List the candidates of a reranking task."""
    if top_ranked is None:
        return None
    if isinstance(top_ranked, int):
        ngrams = choose_ngrams(task.release, by_article=task.by_article).ngrams
        best = best_candidates(baseline_scores("bm25", task, ngrams=ngrams), top_ranked)
        ids, starts = [task.proof_ids[place] for place in best.columns.tolist()], best.starts.tolist()
        lists = [ids[start:stop] for start, stop in pairwise(starts)]
        return dict(zip(task.statement_ids, lists, strict=True))
    known, proofs = set(task.statement_ids), set(task.proof_ids)
    where = f"{task.split} of {task.release.id}"
    for statement, listed in top_ranked.items():
        unknown = [one for one in listed if one not in proofs]
        if statement not in known or unknown:
            raise ProofmatchError(
                f"top_ranked names {(unknown or [statement])[0]!r}, which is not in {where}"
            )
    if missing := known - top_ranked.keys():
        raise ProofmatchError(f"top_ranked has no list for {min(missing)} of {where}; give it one")
    return {statement: list(listed) for statement, listed in top_ranked.items()}


def _license(release: Release) -> str:
    """The licence of a release as mteb names it."""
    from typing import get_args

    from huggingface_hub import DatasetCard
    from mteb.types import Licenses

    stated: Any = DatasetCard.load(release.path(CARD)).data.to_dict().get("license")
    return stated if stated in get_args(Licenses) else _OTHER_LICENSES.get(str(stated), "not specified")
