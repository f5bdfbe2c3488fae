"""Saved matchers: to the Hub and back, damaged files, and untrusted code or pickles, which are not run."""

import json
import pickle
import shutil
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.prediction import load_matcher
from tests.training.conftest import TINY, TINY_FAST
from tests.training.evil import Evil
from tests.training.tiny_encoder import save_tiny_encoder

THERE_AND_BACK = """
import json, sys
import numpy as np
from proofmatch.builder.release.release import open_release
from proofmatch.cli import main
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_task
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.matcher import TrainedMatcher
from proofmatch.training.prediction import load_matcher, model_scores

release, encoder, joint, quick, fast = sys.argv[1:]
task = load_task(open_release(release), "test")

def scores(model):
    opened = load_matcher(model) if isinstance(model, str) else model
    return model_scores(opened, task).block(0, len(task.statement_ids)).tolist()

for here, there in ((encoder, "ada/pieces"), (joint, "ada/joint")):
    model = load_matcher(here)
    model.matcher.push_to_hub(there)
    model.tokenizer.push_to_hub(there)
    assert scores(there) == scores(here)
pieces = TrainedMatcher(ProofMatcher.from_pretrained("ada/pieces"), load_tokenizer("ada/pieces"))
assert scores(pieces) == scores(encoder)

for name, settings in (("quick", quick), ("fast", fast)):
    options = [part for one in json.loads(settings) for part in ("--set", one)]
    assert main(["train", "--data", release, "--preset", name, "--out", name, *options]) == 0
    assert scores(f"ada/{name}") == scores(name)
assert scores("ada/quick") != scores(encoder)
for name in ("ada/quick", "ada/pieces"):  # uploaded by the training, and by `push_to_hub`
    assert main(["predict", name, "--data", release, "--by-article", "--out", "leak.jsonl"]) == 2

config = load_matcher(encoder).matcher.config
config.embedding_size = 17
config.push_to_hub("ada/pieces")
refusals = []
for name in ("ada/pieces", "ada/nothing"):
    try:
        load_matcher(name)
    except ProofmatchError as error:
        refusals.append(str(error))
print(json.dumps(refusals))
"""


def test_matchers_of_all_kinds_go_to_the_hub_and_come_back_the_same(
    hub, owner, tiny_model, joint_model, release, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    push = ["push_to_hub=true", "hub_private_repo=true", "seed=1"]
    settings = {"quick": [*TINY, *push], "fast": [*TINY_FAST, *push]}
    run = owner.python(
        THERE_AND_BACK,
        *map(str, (release, tiny_model, joint_model)),
        *(json.dumps([*chosen, f"hub_model_id=ada/{name}"]) for name, chosen in settings.items()),
    )
    assert run.returncode == 0, run.stderr
    assert all(f"ada/{name} has seen 16 of the 18 answers" in run.stderr for name in ("quick", "pieces"))
    assert {
        *("config.json", "model.safetensors", "tokenizer.json"),
        *("training_data.json", "training_data.npy"),
    } <= hub.repositories["models", "ada/pieces"].at("main").files.keys()
    for name in settings:
        assert hub.repositories["models", f"ada/{name}"].private
        files = hub.repositories["models", f"ada/{name}"].at("main").files
        local = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir() if path.is_file()}
        assert list((tmp_path / name).glob("checkpoint-*"))
        assert {
            "README.md",
            "run.json",
            "history.json",
            "learning-curve.svg",
            "training_args.json",
        } < local.keys()
        assert b"library_name: proofmatch" in local["README.md"]
        assert {name: hub.content(files[name]) for name in local} == local
        assert {name.split("/")[0] for name in files} - local.keys() == {".gitattributes", "runs"}
        assert not [name for name in files if name.endswith((".bin", ".pt", ".pth", ".pkl"))]

    broken, missing = json.loads(run.stdout.splitlines()[-1])
    assert broken.startswith("the weights of ada/pieces do not fit its configuration (mismatched keys: ")
    assert missing.startswith(
        "ada/nothing is neither a folder with a matcher nor OWNER/NAME of one on the Hub ("
    )
    assert "\n" not in broken + missing


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
    assert f"do not fit its configuration ({change} keys: " in refusal(folder)


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("model.safetensors", b"half a file", "is neither a folder with a matcher"),
        ("config.json", b"{", "is not a JSON object"),
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


def test_weights_of_a_model_of_another_size_are_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"num_layers": 2}))
    assert "(missing keys: encoder.layers.1." in refusal(folder)
    (folder / "config.json").write_text(json.dumps(config))
    assert ProofMatcher.from_pretrained(folder).config.num_layers == 1


MARK = "it-was-run"


@pytest.fixture
def mark(tmp_path, monkeypatch) -> Path:
    """Where foreign code would leave its mark; every question is answered with yes."""
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    return tmp_path / MARK


def plant(folder: Path, mark: Path) -> str:
    """Put a module into a folder that leaves its mark when it is loaded."""
    (folder / "foreign.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Foreign: pass\n")
    return "foreign.Foreign"


def edit(file: Path, **fields: object) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **fields}))


@pytest.fixture
def encoder(tmp_path) -> Path:
    return save_tiny_encoder(tmp_path / "encoder")


@pytest.fixture
def matcher(encoder, tmp_path) -> Path:
    folder = tmp_path / "matcher"
    ProofMatcher.from_encoder(str(encoder)).save_pretrained(folder)
    load_tokenizer(encoder, typed=False).save_pretrained(folder)
    return folder


def test_code_of_an_encoder_is_not_run(encoder, mark):
    code = plant(encoder, mark)
    edit(encoder / "config.json", auto_map={"AutoConfig": code, "AutoModel": code})
    assert ProofMatcher.from_encoder(str(encoder)).config.encoder_config["model_type"] == "bert"
    edit(encoder / "config.json", model_type="foreign")
    with pytest.raises(ProofmatchError, match="cannot be opened"):
        ProofMatcher.from_encoder(str(encoder))
    assert not mark.exists()


def test_code_of_a_tokenizer_is_not_run(encoder, mark):
    code = plant(encoder, mark)
    edit(
        encoder / "tokenizer_config.json",
        auto_map={"AutoTokenizer": [code, code]},
        tokenizer_class="Foreign",
    )
    try:
        load_tokenizer(encoder, typed=False)
    except ProofmatchError as error:
        assert "has no tokenizer that can be read" in str(error)
    assert not mark.exists()


def test_code_of_an_encoder_inside_a_matcher_is_not_run(matcher, mark):
    code = plant(matcher, mark)
    fields = json.loads((matcher / "config.json").read_text())["encoder_config"]
    fields |= {"auto_map": {"AutoModel": code}, "_name_or_path": str(matcher)}
    edit(matcher / "config.json", encoder_config=fields, auto_map={"AutoModel": code})
    assert load_matcher(matcher)
    edit(matcher / "config.json", encoder_config={**fields, "model_type": "foreign"})
    with pytest.raises(ProofmatchError, match="foreign is not a text encoder"):
        load_matcher(matcher)
    assert not mark.exists()


def test_a_configuration_that_would_fetch_other_models_is_refused(matcher):
    other = {"model_type": "detr", "backbone": "somebody/backbone", "use_pretrained_backbone": True}
    edit(matcher / "config.json", encoder_config=other)
    with pytest.raises(ProofmatchError, match="detr is not a text encoder"):
        load_matcher(matcher)


@pytest.mark.parametrize("evil", [False, True])
def test_pickled_weights_of_an_encoder_are_not_opened(encoder, mark, evil):
    (encoder / "model.safetensors").unlink()
    if evil:
        (encoder / "pytorch_model.bin").write_bytes(pickle.dumps(Evil(mark)))
    else:
        torch.save({}, encoder / "pytorch_model.bin")
    with pytest.raises(ProofmatchError, match="cannot be opened"):
        ProofMatcher.from_encoder(str(encoder))
    assert not mark.exists()
