"""The Python interface: matchers of all kinds score texts with TeX, and open with the auto classes."""

import subprocess
import sys

import numpy as np
import pytest

import proofmatch
from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task
from proofmatch.training.prediction import model_scores

STATEMENTS = [r"Every ideal of $\mathbb{Z}$ is principal.", "A finite integral domain is a field."]
PROOFS = [
    "Divide by the least positive element $d$ of $I$.",
    "Multiplication by $a \\neq 0$ is injective.",
    "Clear.",
]


@pytest.mark.parametrize("kind", ["tiny_model", "lexical_model", "joint_model", "best_model"])
def test_matchers_of_all_kinds_score_texts(kind, request):
    matcher = proofmatch.load_matcher(request.getfixturevalue(kind))
    scores = matcher.score(STATEMENTS, PROOFS)
    assert scores.shape == (2, 3)
    assert np.isfinite(scores).all()
    # Each pair has its own score, whatever else is scored with it.
    np.testing.assert_allclose(
        matcher.score(STATEMENTS[1:], PROOFS[2:]), scores[1:, 2:], rtol=1e-4, atol=1e-4
    )


def test_texts_of_a_release_are_read_nearly_like_its_tokens(lexical_model, release):
    opened = open_release(release)
    matcher = proofmatch.load_matcher(lexical_model)
    texts = [opened.table(name, "test")["text"].to_pylist() for name in ("statements", "proofs")]
    task = load_task(opened, "test")
    from_tokens = model_scores(matcher, task).block(0, len(task.statement_ids))
    from_texts = matcher.score(*texts)
    assert np.corrcoef(from_tokens.ravel(), from_texts.ravel())[0, 1] > 0.9


def test_what_cannot_be_scored_is_named(lexical_model):
    matcher = proofmatch.load_matcher(lexical_model)
    with pytest.raises(ProofmatchError, match="list of texts"):
        matcher.score("one", ["two"])
    with pytest.raises(ProofmatchError, match="proof 2 is empty"):
        matcher.score(["one"], ["two", ""])


def test_there_is_no_matcher_where_there_is_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="neither a folder with a matcher"):
        proofmatch.load_matcher(tmp_path / "none")


@pytest.mark.parametrize(
    "first",
    [
        "from transformers import AutoModel",
        "from transformers import Trainer",
        "from proofmatch.training import MatchingTrainer",
    ],
)
def test_auto_classes_know_our_models_once_training_is_imported(first, lexical_model):
    code = f"""
import sys
import proofmatch.training
assert "transformers" not in sys.modules  # it takes seconds to load
{first}
from transformers import AutoConfig, AutoModel
config = AutoConfig.from_pretrained(sys.argv[1])
model = AutoModel.from_pretrained(sys.argv[1])
print(type(config).__name__, type(model).__name__)
from proofmatch.training import ProofMatcherConfig
print(type(AutoModel.from_config(ProofMatcherConfig(vocab_size=9, embedding_size=8, num_layers=0))).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(lexical_model)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["LexicalMatcherConfig", "LexicalMatcher", "ProofMatcher"]


def test_mteb_and_evaluate_agree_but_for_ties(lexical_model, release, tmp_path):
    mteb = pytest.importorskip("mteb", reason="not installed: pip install 'proofmatch[integrations]'")
    from proofmatch.cli import main
    from proofmatch.evaluation.evaluator import measure_by_trec_rule
    from proofmatch.evaluation.integrations import mteb_task

    task = mteb_task(release, by_article=False)
    found = mteb.evaluate(
        proofmatch.load_matcher(lexical_model), tasks=[task], cache=None, show_progress_bar=False
    )
    scores = found[0].scores["test"][0]
    path = tmp_path / "x.jsonl"
    assert main(["predict", str(lexical_model), "--data", str(release), "--out", str(path)]) == 0
    ours = measure_by_trec_rule(path, load_task(open_release(release), "test"))
    assert scores["ndcg_at_10"] == pytest.approx(ours.ndcg_at_10, abs=1e-5)
    assert scores["mrr_at_1000"] == pytest.approx(ours.mrr, abs=1e-5)
    assert scores["recall_at_1"] == pytest.approx(ours.accuracy, abs=1e-5)
    with pytest.raises(ProofmatchError, match="no list for"):
        mteb_task(release, top_ranked={})


def test_mteb_keeps_results_of_other_releases_and_models_apart(lexical_model, joint_model, release):
    pytest.importorskip("mteb", reason="not installed: pip install 'proofmatch[integrations]'")
    from proofmatch.evaluation.integrations import mteb_task

    names = {mteb_task(release, by_article=one).metadata.name for one in (False, True)}
    assert len(names) == 2
    assert all(open_release(release).manifest_sha256[:8] in name for name in names)
    metas = [proofmatch.load_matcher(model).mteb_model_meta for model in (lexical_model, joint_model)]
    assert metas[0].revision != metas[1].revision


def test_the_evaluator_of_sentence_transformers_has_the_split(release):
    pytest.importorskip(
        "sentence_transformers", reason="not installed: pip install 'proofmatch[integrations]'"
    )
    from proofmatch.evaluation.integrations import information_retrieval_evaluator

    evaluator = information_retrieval_evaluator(release, split="validation", batch_size=8)
    task = load_task(open_release(release), "validation")
    assert sorted(evaluator.queries_ids) == sorted(task.statement_ids)
    assert sorted(evaluator.corpus_ids) == sorted(task.proof_ids)
    gold = {task.proof_ids[at] for at in task.required_gold}
    assert set().union(*evaluator.relevant_docs.values()) == gold
