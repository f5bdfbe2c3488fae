"""A pushed model reports its results to the leaderboard of the dataset."""

import json
import shutil

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

import proofmatch
from proofmatch.builder.release.release import open_release
from proofmatch.evaluation.task import load_task
from tests.hub.releases import REPOSITORY, held

PUSH_MODEL = """
import sys
import proofmatch
model, result = sys.argv[1:]
matcher = proofmatch.load_matcher(model)
matcher.push_to_hub("ada/matcher", results=[result], private=True)
assert type(proofmatch.load_matcher("ada/matcher").matcher) is type(matcher.matcher)
"""


@pytest.fixture
def folder(release, tmp_path):
    return shutil.copytree(release, tmp_path / "release")


@pytest.fixture
def result(release):
    task = load_task(open_release(release), "test")
    lists = dict.fromkeys(task.statement_ids, task.proof_ids[:7])
    return proofmatch.evaluate(lists, release, name="seven", url="https://example.org/seven")


def test_a_pushed_model_reports_its_results(hub, owner, folder, result, lexical_model, tmp_path):
    assert owner.proofmatch("push", str(folder), REPOSITORY).returncode == 0
    found = result.as_dict()
    found["dataset"] |= {"id": REPOSITORY, "revision": hub.dataset(REPOSITORY).branches["main"]}
    (tmp_path / "result.json").write_text(json.dumps(found), encoding="utf-8")
    run = owner.python(PUSH_MODEL, str(lexical_model), str(tmp_path / "result.json"))
    assert run.returncode == 0, run.stderr
    files = hub.repositories[("models", "ada/matcher")].at("main").files
    name = ".eval_results/ada__statement-proof-matching-statement-to-proof.yaml"
    assert {name, "model.safetensors", "tokenizer.json", "README.md"} <= files.keys()
    (entry,) = parse_eval_result_entries(yaml.safe_load(hub.content(files[name])))
    assert entry.dataset_id == REPOSITORY
    assert entry.dataset_revision == hub.dataset(REPOSITORY).branches["main"]
    assert entry.task_id in [task["id"] for task in yaml.safe_load(held(hub)["eval.yaml"])["tasks"]]
    assert entry.value == pytest.approx(100 * result.scores["ndcg@10"], abs=0.005)
    assert entry.source_url == "https://example.org/seven"
    assert "MRR" in entry.notes
