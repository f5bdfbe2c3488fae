"""An untrusted model: whatever its files name, only safetensors in its own folder are opened."""

import json
import os
import pickle
import shutil
import sys

import pytest
import torch
from safetensors.torch import load_file

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.prediction import load_matcher, open_matcher
from tests.hub.client import OWNER
from tests.training.evil import Evil
from tests.training.joint_parts import Parts
from tests.training.tiny_encoder import save_tiny_encoder

KINDS = ("lexical", "encoder", "matcher")
INDEX = "model.safetensors.index.json"
_opened: list[str] = []  # names of the files that Python has opened


def _note(event, arguments):
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        _opened.append(os.path.basename(arguments[0]))  # noqa: PTH119 - any path


sys.addaudithook(_note)  # hooks cannot be removed


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A matcher of each kind and a pretrained encoder, each in a folder."""
    parts, folder = Parts(), tmp_path_factory.mktemp("models")
    for kind in KINDS:
        getattr(parts, kind).save_pretrained(folder / kind)
        parts.tokenizer.save_pretrained(folder / kind)
    save_tiny_encoder(folder / "pretrained")
    return folder


@pytest.fixture(params=[*KINDS, "pretrained"])
def folder(request, saved, tmp_path):
    """A copy of a model, free to be changed."""
    return shutil.copytree(saved / request.param, tmp_path / "around" / request.param)


def open_model(folder):
    _opened.clear()
    if folder.name == "pretrained":
        ProofMatcher.from_encoder(str(folder))
    else:
        load_matcher(folder)


def shard(folder, name):
    """Move all weights to a shard of that name."""
    weights = load_file(folder / "model.safetensors")
    index = {"metadata": {"total_size": 1}, "weight_map": dict.fromkeys(weights, name)}
    (folder / INDEX).write_text(json.dumps(index))
    (folder / "model.safetensors").unlink()


def refusal(folder) -> str:
    with pytest.raises(ProofmatchError) as refused:
        open_model(folder)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", ["../outside.bin", "outside.bin", "../outside.safetensors", "{absolute}", 3])
def test_a_shard_that_is_no_safetensors_of_the_folder_is_not_opened(folder, name):
    if isinstance(name, str):
        name = name.format(absolute=folder.parent / "outside.safetensors")
        torch.save(load_file(folder / "model.safetensors"), folder / name)
    shard(folder, name)
    assert INDEX in refusal(folder)
    assert not [name for name in _opened if name.startswith("outside")]


def test_a_shard_that_is_a_link_out_of_the_folder_is_not_opened(folder):
    (folder / "model.safetensors").rename(folder.parent / "x.safetensors")
    (folder / "model.safetensors").symlink_to(folder.parent / "x.safetensors")
    shard(folder, "shard.safetensors")
    (folder / "shard.safetensors").symlink_to(folder.parent / "x.safetensors")
    assert "shard.safetensors" in refusal(folder)


def test_shards_in_the_folder_are_opened(folder):
    shutil.copy(folder / "model.safetensors", folder / "model-00001-of-00001.safetensors")
    shard(folder, "model-00001-of-00001.safetensors")
    open_model(folder)


def test_a_configuration_cannot_name_a_pickle(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"transformers_weights": "adapter_model.bin"}))
    torch.save(load_file(folder / "model.safetensors"), folder / "adapter_model.bin")
    assert "transformers_weights" in refusal(folder)
    assert "adapter_model.bin" not in _opened


def test_adapters_are_not_opened(folder, tmp_path):
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "somebody/else"}')
    (folder / "adapter_model.bin").write_bytes(pickle.dumps(Evil(tmp_path / "mark")))
    assert "adapters are not opened" in refusal(folder)
    assert "adapter_model.bin" not in _opened


def test_pickles_beside_the_weights_are_not_opened(folder, tmp_path):
    pickles = ("pytorch_model.bin", "training_args.bin", "optimizer.pt", "tokenizer.pkl", "adapter_model.bin")
    for name in pickles:
        (folder / name).write_bytes(pickle.dumps(Evil(tmp_path / "mark")))
    open_model(folder)
    assert not set(pickles) & set(_opened)
    assert not (tmp_path / "mark").exists()


def test_a_pickle_in_place_of_a_folder_is_not_opened(tmp_path):
    torch.save({}, tmp_path / "model.bin")
    _opened.clear()
    with pytest.raises(ProofmatchError):
        open_matcher(tmp_path / "model.bin")
    assert "model.bin" not in _opened


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json", "tokenizer.json", INDEX])
def test_files_that_are_read_at_once_are_limited(folder, name):
    with (folder / name).open("r+b" if (folder / name).exists() else "wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(ProofmatchError, match=f"{name} of .*larger than"):
        open_model(folder)
        load_tokenizer(folder, typed=False)


def test_a_vocabulary_of_millions_is_not_read(folder):
    (folder / "tokenizer.json").write_bytes(b"[" + b"0," * 2_000_000 + b"0]")
    with pytest.raises(ProofmatchError, match="more than 1,600,000 entries"):
        load_tokenizer(folder, typed=False)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", INDEX])
def test_a_pipe_in_the_folder_is_not_waited_for(folder, name):
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    with pytest.raises(ProofmatchError, match=f"{name} of .*not a regular file"):
        open_model(folder)
        load_tokenizer(folder, typed=False)


ON_THE_HUB = """
import json, sys
from pathlib import Path
from huggingface_hub import HfApi, snapshot_download
from proofmatch.errors import ProofmatchError
from proofmatch.training.prediction import load_matcher

good, bad = sys.argv[1:]
for folder in (good, bad):
    HfApi().create_repo(f"ada/{Path(folder).name}")
    HfApi().upload_folder(repo_id=f"ada/{Path(folder).name}", folder_path=folder)
load_matcher(f"ada/{Path(good).name}")
cached = snapshot_download(f"ada/{Path(good).name}")
assert any(path.is_symlink() for path in Path(cached).iterdir())
load_matcher(cached)
try:
    load_matcher(f"ada/{Path(bad).name}")
except ProofmatchError as error:
    print(error)
"""


def test_the_same_holds_on_the_hub_whose_cache_has_links_of_its_own(saved, owner, tmp_path):
    good, bad = (shutil.copytree(saved / "encoder", tmp_path / name) for name in ("good", "bad"))
    shutil.copy(good / "model.safetensors", good / "model-00001-of-00001.safetensors")
    shard(good, "model-00001-of-00001.safetensors")
    torch.save(load_file(bad / "model.safetensors"), bad / "weights.bin")
    shard(bad, "weights.bin")
    run = owner.python(ON_THE_HUB, str(good), str(bad))
    assert run.returncode == 0, run.stderr
    assert f"{INDEX} of {OWNER}/bad names 'weights.bin'" in run.stdout
    cached = {path.name for path in (tmp_path / "home").rglob("*")}
    assert "model-00001-of-00001.safetensors" in cached
    assert "weights.bin" not in cached
