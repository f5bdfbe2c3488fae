"""Code that comes with models is not run, whoever answers whatever question, and nothing else is fetched."""

import json
import pickle
import sys
from pathlib import Path

import pytest
import torch

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, load_tokenizer
from proofmatch.training.prediction import load_matcher
from tests.training.evil import Evil
from tests.training.tiny_encoder import save_tiny_encoder

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


def test_code_of_an_encoder(encoder, mark):
    code = plant(encoder, mark)
    edit(encoder / "config.json", auto_map={"AutoConfig": code, "AutoModel": code})
    assert ProofMatcher.from_encoder(str(encoder)).config.encoder_config["model_type"] == "bert"
    edit(encoder / "config.json", model_type="foreign")
    with pytest.raises(ProofmatchError, match="cannot be opened"):
        ProofMatcher.from_encoder(str(encoder))
    assert not mark.exists()


def test_code_of_a_tokenizer(encoder, mark):
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


def test_code_of_an_encoder_inside_a_matcher(matcher, mark):
    code = plant(matcher, mark)
    fields = json.loads((matcher / "config.json").read_text())["encoder_config"]
    fields |= {"auto_map": {"AutoModel": code}, "_name_or_path": str(matcher)}
    edit(matcher / "config.json", encoder_config=fields, auto_map={"AutoModel": code})
    assert load_matcher(matcher)
    edit(matcher / "config.json", encoder_config={**fields, "model_type": "foreign"})
    with pytest.raises(ProofmatchError, match="foreign is no encoder of texts"):
        load_matcher(matcher)
    assert not mark.exists()


def test_a_configuration_that_would_fetch_other_models_is_refused(matcher):
    other = {"model_type": "detr", "backbone": "somebody/backbone", "use_pretrained_backbone": True}
    edit(matcher / "config.json", encoder_config=other)
    with pytest.raises(ProofmatchError, match="detr is no encoder of texts"):
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
