"""A statement of one's own, as a matcher reads it."""

import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ...builder.tokens import math_token
from ..encoding import EncodedTexts, encode_readable_texts, encode_texts
from ..prediction import TrainedMatcher
from .invisible import INVISIBLE_TIMES
from .spellings import known_spellings
from .tex_tokens import tex_tokens

# A vocabulary is ordered by frequency. Where LaTeXML has understood the formulas of a corpus, invisible times
# is among its first words; elsewhere it is rare or unknown.
_FREQUENT = 100


def encode_statement(model: TrainedMatcher, statement: str) -> EncodedTexts:
    """Encode a statement, text with formulas in TeX, as the one text of its kind.

    Raises:
        ProofmatchError: If there is nothing in it that the matcher reads.
    """
    config, tokenizer = model.matcher.config, model.tokenizer
    if not statement.strip():
        raise ProofmatchError("the statement is empty; give a sentence or two, with formulas as $TeX$")
    if config.reads_text_column:
        return encode_readable_texts(tokenizer, [statement], config.max_words)
    vocabulary = tokenizer.get_vocab()
    is_understood = vocabulary.get(math_token(INVISIBLE_TIMES), _FREQUENT) < _FREQUENT
    tokens = known_spellings(tex_tokens(statement, invisible_operators=is_understood), vocabulary)
    texts = encode_texts(tokenizer, pa.array([tokens], pa.list_(pa.string())), config.input, config.max_words)
    if texts.lengths[0] <= 2:  # a start and an end
        what = {"text": "words", "math": "formulas, such as $x$,"}.get(config.input, "words or formulas")
        raise ProofmatchError(f"the model reads {what} only, and the statement has none")
    return texts
