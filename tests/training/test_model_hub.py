"""Models on the Hub: what is pushed comes back the same, and what does not fit together is refused."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher
from proofmatch.training.prediction import load_matcher
from tests.training.conftest import TINY, TINY_FAST

THERE_AND_BACK = """
import json, sys
from pathlib import Path
import numpy as np
import pyarrow as pa
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.texts import encode_texts
from proofmatch.training.prediction import TrainedMatcher, load_matcher

folder, *train = sys.argv[1:]

def scores(opened):
    tokens = pa.array([["t:Let", "m:x"], ["t:Let", "m:y", "t:be"], ["m:x", "t:never-seen"]])
    texts = encode_texts(opened.tokenizer, tokens)
    return opened.matcher.eval()([texts[0], texts[1]], [texts[1], texts[2]]).tolist()

here = load_matcher(folder)
here.matcher.push_to_hub("ada/pieces")
here.tokenizer.push_to_hub("ada/pieces")
piecewise = TrainedMatcher(ProofMatcher.from_pretrained("ada/pieces"), load_tokenizer("ada/pieces"))
assert scores(piecewise) == scores(load_matcher("ada/pieces")) == scores(here)

assert main(train) == 0
assert scores(load_matcher("ada/trained")) == scores(load_matcher("trained"))
assert scores(load_matcher("ada/trained")) != scores(here)
assert main(["predict", "ada/trained", "--data", train[2], "--by-article", "--out", "leak.jsonl"]) == 2

here.matcher.config.embedding_size = 17
here.matcher.config.push_to_hub("ada/pieces")
refusals = []
for name in ("ada/pieces", "ada/nothing"):
    try:
        load_matcher(name)
    except ProofmatchError as error:
        refusals.append(str(error))
print(json.dumps(refusals))
"""


def test_models_go_to_the_hub_and_come_back_the_same(hub, owner, tiny_model, release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = [*TINY, "push_to_hub=true", "hub_model_id=ada/trained", "hub_private_repo=true", "seed=1"]
    train = ["train", "--data", str(release), "--out", "trained"]
    run = owner.python(
        THERE_AND_BACK, str(tiny_model), *train, *(part for one in settings for part in ("--set", one))
    )
    assert run.returncode == 0, run.stderr
    assert "ada/trained was trained on pairs of this release" in run.stderr

    pieces, trained = (
        hub.repositories["models", name].at("main").files for name in ("ada/pieces", "ada/trained")
    )
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= pieces.keys()
    assert hub.repositories["models", "ada/trained"].private
    local = {path.name: path.read_bytes() for path in (tmp_path / "trained").iterdir() if path.is_file()}
    assert {name: hub.content(trained[name]) for name in local} == local
    assert {name.split("/")[0] for name in trained} - local.keys() == {".gitattributes", "runs"}
    assert not [name for name in trained if name.endswith((".bin", ".pt", ".pth", ".pkl"))]

    broken, missing = json.loads(run.stdout.splitlines()[-1])
    assert broken.startswith(
        "the weights of ada/pieces are not those of its configuration (mismatched keys: "
    )
    assert missing.startswith(
        "ada/nothing is neither a folder with a matcher nor OWNER/NAME of one on the Hub ("
    )
    assert "\n" not in broken + missing


WITH_FEATURES = """
import sys
import numpy as np
from proofmatch.cli import main
from proofmatch.builder.release.release import open_release
from proofmatch.evaluation.task import load_task
from proofmatch.training.prediction import load_matcher, model_scores

release, joint, *train = sys.argv[1:]
task = load_task(open_release(release), "test")

def scores(name):
    return model_scores(load_matcher(name), task).block(0, len(task.statement_ids))

here = load_matcher(joint)
here.matcher.push_to_hub("ada/joint")
here.tokenizer.push_to_hub("ada/joint")
assert np.array_equal(scores("ada/joint"), scores(joint))

assert main(train) == 0
assert np.array_equal(scores("ada/lexical"), scores("lexical"))
assert main(["predict", "ada/lexical", "--data", release, "--out", "x.jsonl"]) == 0
"""


def test_matchers_with_features_go_to_the_hub_and_come_back_the_same(
    hub, owner, joint_model, release, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    settings = [*TINY_FAST, "push_to_hub=true", "hub_model_id=ada/lexical"]
    train = ["train", "--data", str(release), "--preset", "fast", "--out", "lexical"]
    run = owner.python(
        WITH_FEATURES,
        *(str(release), str(joint_model), *train),
        *(part for one in settings for part in ("--set", one)),
    )
    assert run.returncode == 0, run.stderr
    files = hub.repositories["models", "ada/lexical"].at("main").files
    local = {path.name: path.read_bytes() for path in (tmp_path / "lexical").iterdir() if path.is_file()}
    assert {name: hub.content(files[name]) for name in local} == local
    assert not [name for name in files if name.endswith((".bin", ".pt", ".pth", ".pkl"))]
    assert (tmp_path / "x.jsonl").exists()


@pytest.fixture
def folder(tiny_model, tmp_path):
    """A copy of a model, free to be changed."""
    return shutil.copytree(tiny_model, tmp_path / "model")


def refusal(folder) -> str:
    with pytest.raises(ProofmatchError) as refused:
        load_matcher(folder)
    assert "\n" not in str(refused.value)
    assert str(folder) in str(refused.value)
    return str(refused.value)


def test_pickled_weights_are_not_opened(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert "is neither a folder with a matcher" in refusal(folder)


@pytest.mark.parametrize("change", ["missing", "unexpected", "mismatched"])
def test_weights_of_another_configuration_are_refused(folder, change):
    weights = load_file(folder / "model.safetensors")
    if change == "missing":
        del weights["weight"]
    elif change == "unexpected":
        weights["another"] = weights["bias"].clone()
    else:
        weights["weight"] = weights["weight"][:-1].clone()
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    assert f"are not those of its configuration ({change} keys: " in refusal(folder)


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("model.safetensors", b"half a file", "is neither a folder with a matcher"),
        ("config.json", b"{", "is neither a folder with a matcher"),
        ("config.json", b'{"model_type": "bert"}', "is a model of the kind bert, not one of proof-matcher"),
        ("config.json", b'{"hidden_size": 3}', "is a model of the kind None, not one of proof-matcher"),
        ("config.json", b'{"model_type": "proof-matcher", "num_heads": -1}', "num_heads must be"),
        ("tokenizer.json", b"{", "has no tokenizer that can be read"),
    ],
)
def test_damaged_files_are_refused(folder, file, content, told):
    (folder / file).write_bytes(content)
    assert told in refusal(folder)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "tokenizer.json"])
def test_missing_files_are_refused(folder, file):
    (folder / file).unlink()
    assert refusal(folder)


def test_the_weights_of_another_model_are_told_from_its_own(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_layers": 2}))
    assert "(missing keys: encoder.layers.1." in refusal(folder)
    (folder / "config.json").write_text(json.dumps(config))
    assert ProofMatcher.from_pretrained(folder).config.num_layers == 1
