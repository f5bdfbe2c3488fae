"""The Hub's own leaderboards: a pushed release is a benchmark, and results are files for models."""

import pytest
import yaml

import proofmatch
from proofmatch.builder.release.benchmark import eval_yaml
from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.reported_results import reported_result
from proofmatch.evaluation.task import load_task
from tests.hub.releases import REPOSITORY, held


@pytest.fixture
def result(release):
    task = load_task(open_release(release), "test")
    lists = dict.fromkeys(task.statement_ids, task.proof_ids[:7])
    return proofmatch.evaluate(lists, release, name="seven", url="https://example.org/seven")


def test_a_pushed_release_is_registered_as_a_benchmark(hub, owner, folder):
    push = owner.proofmatch("push", str(folder), REPOSITORY)
    assert push.returncode == 0, push.stderr
    content = yaml.safe_load(held(hub)["eval.yaml"])
    assert content.keys() == {"name", "description", "evaluation_framework", "tasks"}
    assert content["evaluation_framework"] == "mteb"
    opened = open_release(folder)
    for task in content["tasks"]:
        assert task.keys() == {"id", "config", "split"}
        assert opened.table(task["config"], task["split"]).num_rows
    assert "eval.yaml" not in opened.files  # the folder and its manifest stay as they are
    assert content == yaml.safe_load(eval_yaml(opened))


def test_the_registration_is_one_that_mteb_reads(folder):
    pytest.importorskip("mteb", reason="mteb is not installed: pip install 'proofmatch[integrations]'")
    from mteb._hf_integration.eval_model import HFEvalMeta

    assert HFEvalMeta(**yaml.safe_load(eval_yaml(open_release(folder)))).tasks[0].split == "test"


def test_what_is_not_a_result_on_the_hub_is_refused(result, release, tmp_path):
    with pytest.raises(ProofmatchError, match="not on the Hub"):
        reported_result(result)
    name, text = reported_result(result, dataset_id="ada/pairs")
    assert name.startswith(".eval_results/ada__pairs")
    assert "ada/pairs" in text
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ProofmatchError, match="not a result"):
        reported_result(tmp_path / "x.json")
    validation = load_task(open_release(release), "validation")
    lists = dict.fromkeys(validation.statement_ids, validation.proof_ids[:1])
    other = proofmatch.evaluate(lists, release, split="validation")
    with pytest.raises(ProofmatchError, match="split validation"):
        reported_result(other, dataset_id="ada/pairs")
