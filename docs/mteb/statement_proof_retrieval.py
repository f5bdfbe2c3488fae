from __future__ import annotations

from mteb.abstasks import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

_BIBTEX_CITATION = r"""
@misc{coavoux2021learning,
  archiveprefix = {arXiv},
  author = {Coavoux, Maximin and Cohen, Shay B.},
  eprint = {2102.02110},
  title = {Learning to Match Mathematical Statements with Proofs},
  year = {2021},
}
"""

_COMMON = {
    "reference": "https://arxiv.org/abs/2102.02110",
    "category": "t2t",
    "modalities": ["text"],
    "eval_splits": ["test"],
    "eval_langs": ["eng-Latn"],
    "main_score": "ndcg_at_10",
    "date": ("2005-01-01", "2025-12-31"),  # best guess: the years of the Stacks project
    "domains": ["Academic", "Written"],
    "task_subtypes": ["Reasoning as Retrieval"],
    "license": "https://www.gnu.org/licenses/fdl.html",
    "annotations_creators": "derived",
    "dialect": [],
    "sample_creation": "found",
    "prompt": {"query": "Given a mathematical statement, retrieve its proof"},
    "bibtex_citation": _BIBTEX_CITATION,
}


class StatementProofRetrieval(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="StatementProofRetrieval",
        description=(
            "Retrieve the proof of a statement of research-level mathematics (a theorem, lemma or "
            "proposition of the Stacks project) among the proofs of all statements of the split. Texts have "
            "their formulas in TeX."
        ),
        dataset={"path": "mteb/StatementProofRetrieval", "revision": "main"},
        type="Retrieval",
        **_COMMON,
    )


class StatementProofReranking(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="StatementProofReranking",
        description=(
            "Rerank the 100 proofs that BM25 finds for a statement of research-level mathematics (a "
            "theorem, lemma or proposition of the Stacks project). Texts have their formulas in TeX. A right "
            "proof that BM25 misses is not added to the list."
        ),
        dataset={"path": "mteb/StatementProofReranking", "revision": "main"},
        type="Reranking",
        **_COMMON,
    )
