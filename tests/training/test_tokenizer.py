"""The tokenizer: typed tokens in, numbers out, the same through every interface."""

import json

import pyarrow as pa
import pytest
from datasets import load_dataset
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from proofmatch.builder.release.release import open_release
from proofmatch.builder.tokens import text_tokens
from proofmatch.errors import ProofmatchError
from proofmatch.evaluation.task import load_tokens
from proofmatch.training import load_tokenizer, train_tokenizer
from proofmatch.training.texts import encode_pairs, encode_texts
from proofmatch.training.tokenizer import END, PADDING, SPECIAL, START, UNKNOWN_MATH, UNKNOWN_TEXT

TEXTS = [["t:Let", "m:x", "t:be", "m:x"], ["t:Let", "m.bold:x", "t:be"], ["t:rare", "m:ζ"]]


def column(texts):
    return pa.array(texts, pa.list_(pa.string()))


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer([column(TEXTS)])


def words(tokenizer, encoded):
    return [tokenizer.convert_ids_to_tokens(encoded[number].tolist()) for number in range(len(encoded))]


def test_frequent_tokens_are_known_and_special_ones_come_first(tokenizer):
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    assert sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get) == [*SPECIAL, "m:x", "t:Let", "t:be"]
    assert tokenizer.pad_token == PADDING and tokenizer.pad_token_id == 0


def test_unknown_text_and_unknown_math_are_different_words(tokenizer):
    encoded = encode_texts(tokenizer, column(TEXTS))
    assert words(tokenizer, encoded)[1:] == [
        [START, "t:Let", UNKNOWN_MATH, "t:be", END],
        [START, UNKNOWN_TEXT, UNKNOWN_MATH, END],
    ]


def test_encoding_agrees_with_the_tokenizer_on_what_it_knows(tokenizer):
    (encoded,) = [encode_texts(tokenizer, column(TEXTS[:1]))[0].tolist()]
    assert encoded == tokenizer(" ".join(TEXTS[0]))["input_ids"]


@pytest.mark.parametrize(("input", "expected"), [("text", ["t:Let", "t:be"]), ("math", ["m:x", "m:x"])])
def test_encoding_selects_the_input(tokenizer, input, expected):
    assert words(tokenizer, encode_texts(tokenizer, column(TEXTS[:1]), input)) == [[START, *expected, END]]


def test_long_texts_are_truncated_and_keep_the_end_word(tokenizer):
    encoded = encode_texts(tokenizer, column([*TEXTS, []]), max_length=4)
    assert encoded.lengths.tolist() == [4, 4, 4, 2]
    assert words(tokenizer, encoded)[0] == [START, "t:Let", "m:x", END]


def test_the_vocabulary_is_limited_and_the_same_every_time():
    limited = train_tokenizer([column(TEXTS)], max_size=len(SPECIAL) + 2, min_count=1)
    assert sorted(limited.get_vocab()) == sorted([*SPECIAL, "m:x", "t:Let"])
    assert len(train_tokenizer([column(TEXTS)], min_count=1)) == len(SPECIAL) + 6


def test_it_opens_with_autotokenizer_and_as_ours(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    for opened in (AutoTokenizer.from_pretrained(tmp_path), load_tokenizer(tmp_path)):
        assert opened("t:Let m:x")["input_ids"] == tokenizer("t:Let m:x")["input_ids"]
        assert (
            encode_texts(opened, column(TEXTS)).values.tolist()
            == encode_texts(tokenizer, column(TEXTS)).values.tolist()
        )
    assert not list(tmp_path.glob("*.py"))


def test_plain_text_is_typed_as_the_builder_types_it(release, tmp_path):
    opened = open_release(release)
    texts = [load_tokens(opened, side, "train") for side in ("statement", "proof")]
    train_tokenizer(texts).save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    plain = 'Let us see (2.1) that "every non-zero ring", i.e. the zero ring, is not.'
    assert tokenizer(plain)["input_ids"] == tokenizer(" ".join(text_tokens(plain)))["input_ids"]
    assert tokenizer.tokenize("If $x$ is ($y+z$).") == [
        "t:If",
        UNKNOWN_MATH,
        "t:is",
        "t:(",
        UNKNOWN_MATH,
        "t:)",
        "t:.",
    ]
    typed = [token for column in texts for token in column.flatten().to_pylist()]
    assert tokenizer.backend_tokenizer.normalizer.normalize_str(" ".join(typed)) == " ".join(typed)


@pytest.mark.parametrize("typed", ["m:resp. t:$ m.bold:x t:$ t:a", "m:: t:: m::x", "m:$a$ t:b m:(1),"])
def test_typed_tokens_stay_as_they_are(tokenizer, typed):
    assert tokenizer.backend_tokenizer.normalizer.normalize_str(typed) == typed


def test_tokenizers_of_earlier_versions_get_the_typing_when_opened(tokenizer, tmp_path):
    tokenizer.save_pretrained(tmp_path)
    saved = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))
    (tmp_path / "tokenizer.json").write_text(json.dumps({**saved, "normalizer": None}), encoding="utf-8")
    assert load_tokenizer(tmp_path).tokenize("Let it be") == ["t:Let", UNKNOWN_TEXT, "t:be"]


def test_a_folder_without_tokenizer_is_one_sentence(tmp_path):
    with pytest.raises(ProofmatchError, match="no tokenizer"):
        load_tokenizer(tmp_path)


def test_a_pairs_dataset_is_encoded_by_map(release, tmp_path):
    opened = open_release(release)
    tokenizer = train_tokenizer([load_tokens(opened, side, "train") for side in ("statement", "proof")])
    pairs = load_dataset(str(release), split="test", cache_dir=str(tmp_path))
    encoded = pairs.map(encode_pairs, batched=True, fn_kwargs={"tokenizer": tokenizer, "input": "math"})
    expected = encode_texts(tokenizer, column(pairs["proof_tokens"][:]), "math")
    assert [list(row) for row in encoded["proof_input_ids"]] == [
        expected[number].tolist() for number in range(len(expected))
    ]
