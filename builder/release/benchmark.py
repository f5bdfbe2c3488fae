"""A release as a benchmark of the Hugging Face Hub: `eval.yaml`, and the names of its tasks.

A dataset repository with this file can have a leaderboard, which the Hub makes from the results that models
report (`evaluation/reported_results.py`). It is added when a release is pushed, not when it is built, because
it says nothing about the data, and so that releases of earlier versions get it, too.
"""

from .release import Release
from .schema import SPLITS, TEST, config_name

EVAL_FILE = "eval.yaml"
MEASURE = "ndcg@10"  # the main score of mteb, the evaluation framework that the Hub knows for retrieval
_FRAMEWORK = "mteb"
_NAME = "Statement–proof matching"
_DESCRIPTION = (
    "Match statements of research-level mathematics with their proofs: for each statement of the test split, "
    "rank the proofs of the split. The score is nDCG@10 in percent. In one task the splits are by pair, in "
    "the other by article."
)


def task_id(by_article: bool) -> str:
    """Name the task of a family of splits."""
    return f"statement-to-proof{'-by-article' * by_article}"


def eval_yaml(release: Release) -> str:
    """Write the file that registers a release as a benchmark."""
    from huggingface_hub.utils import yaml_dump

    tasks = [
        {"id": task_id(by_article), "config": config, "split": SPLITS[TEST]}
        for by_article in (False, True)
        if (config := config_name("statements", by_article)) in release.configs
    ]
    content = {
        "name": _NAME,
        "description": _DESCRIPTION,
        "evaluation_framework": _FRAMEWORK,
        "tasks": tasks,
    }
    return yaml_dump(content, sort_keys=False)
