"""Encoders differ: in how they number places and padding, in precision, in the names of their sizes."""

import numpy as np
import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    RobertaConfig,
    RobertaModel,
    ViTConfig,
    ViTModel,
)

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, ProofMatcherConfig

SIZES = {"vocab_size": 30, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
KINDS = {
    "bert": lambda: BertModel(BertConfig(**SIZES, intermediate_size=16, max_position_embeddings=34)),
    "bert without padding": lambda: BertModel(
        BertConfig(**SIZES, intermediate_size=16, max_position_embeddings=34, pad_token_id=None)
    ),
    "half": lambda: BertModel(BertConfig(**SIZES, intermediate_size=16, max_position_embeddings=34)).half(),
    "roberta": lambda: RobertaModel(
        RobertaConfig(**SIZES, intermediate_size=16, max_position_embeddings=34, pad_token_id=1)
    ),
    "distilbert": lambda: DistilBertModel(
        DistilBertConfig(
            vocab_size=30, dim=16, n_layers=1, n_heads=2, hidden_dim=16, max_position_embeddings=34
        )
    ),
}


@pytest.fixture(params=KINDS)
def matcher(request, tmp_path):
    torch.manual_seed(0)
    KINDS[request.param]().save_pretrained(tmp_path / "encoder")
    return ProofMatcher.from_encoder(str(tmp_path / "encoder")).eval()


def texts(*lengths):
    # Not 0 and 1, which are padding for one or the other.
    draw = np.random.default_rng(0)
    return [draw.integers(2, 30, length) for length in lengths]


def test_padding_never_changes_a_vector(matcher):
    several = texts(3, 17, 1, 9)
    alone = torch.cat([matcher.encode([text]) for text in several])
    assert torch.allclose(matcher.encode(several), alone, atol=1e-5)
    assert alone.dtype == torch.float32
    assert torch.allclose(alone.norm(dim=1), torch.ones(4), atol=1e-5)


def test_texts_may_be_as_long_as_the_configuration_says(matcher):
    (longest,) = texts(matcher.config.max_words)
    assert matcher.config.max_words >= 32
    assert torch.isfinite(matcher([longest], [longest])).all()


def test_it_is_saved_and_opened_without_the_encoder(matcher, tmp_path):
    matcher.save_pretrained(tmp_path / "saved")
    again = ProofMatcher.from_pretrained(tmp_path / "saved").eval()
    several = texts(3, 17, 1)
    assert torch.equal(again(several, several), matcher(several, several))


def test_a_word_with_the_number_of_no_padding_is_read(tmp_path):
    KINDS["bert without padding"]().save_pretrained(tmp_path)
    matcher = ProofMatcher.from_encoder(str(tmp_path)).eval()
    words = np.array([5, 0, 7])
    hidden = matcher.encoder.model(input_ids=torch.tensor(words)[None]).last_hidden_state
    wanted = torch.nn.functional.normalize(hidden.mean(dim=1), dim=-1)
    assert torch.allclose(matcher.encode([words]), wanted, atol=1e-5)


def test_weights_that_are_missing_are_named(tmp_path):
    KINDS["bert"]().save_pretrained(tmp_path)
    BertConfig(
        **{**SIZES, "num_hidden_layers": 3}, intermediate_size=16, max_position_embeddings=34
    ).save_pretrained(tmp_path)
    with pytest.raises(ProofmatchError, match=r"incomplete: .*layer\.1.* is missing"):
        ProofMatcher.from_encoder(str(tmp_path))


def test_an_encoder_of_pictures_is_refused(tmp_path):
    ViTModel(
        ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    ).save_pretrained(tmp_path)
    with pytest.raises(ProofmatchError, match="no encoder of texts"):
        ProofMatcher.from_encoder(str(tmp_path))


def test_a_configuration_alone_does_not_pretend_to_have_the_encoder():
    with pytest.raises(ProofmatchError, match="from_encoder"):
        ProofMatcherConfig(encoder="owner/name")
