"""A statement of one's own, as a matcher reads it."""

import pyarrow as pa

from proofmatch.errors import ProofmatchError

from ...builder.tokens import math_token
from ...evaluation.task import select_input
from ..prediction import TrainedMatcher
from ..texts import Texts
from .invisible import INVISIBLE_TIMES
from .spellings import known_spellings
from .tex_tokens import tex_tokens

# A vocabulary is ordered by frequency. Where LaTeXML has understood the formulas of a corpus, invisible times
# is among its first words; elsewhere it is rare or unknown.
_FREQUENT = 100


def encode_statement(model: TrainedMatcher, statement: str) -> Texts:
    """Encode a statement, text with formulas in TeX, as the one text of its kind.

    Raises:
        ProofmatchError: If there is nothing in it that the matcher reads.
    """
    if not statement.strip():
        raise ProofmatchError("the statement is empty; give a sentence or two, with formulas as $TeX$")
    if model.reader.reads_text_column:
        return model.reader.read(pa.array([statement]))
    tokens = pa.array([statement_tokens(model, statement)], pa.list_(pa.string()))
    input = model.matcher.config.input
    if not len(select_input(tokens, input).flatten()):
        what = {"text": "words", "math": "formulas, such as $x$,"}.get(input, "words or formulas")
        raise ProofmatchError(f"the model reads {what} only, and the statement has none")
    return model.reader.read(tokens)


def statement_tokens(model: TrainedMatcher, statement: str) -> list[str]:
    """Write a statement, text with formulas in TeX, as typed tokens in the spelling of the model's corpus."""
    vocabulary = model.tokenizer.get_vocab()
    is_understood = vocabulary.get(math_token(INVISIBLE_TIMES), _FREQUENT) < _FREQUENT
    return known_spellings(tex_tokens(statement, invisible_operators=is_understood), vocabulary)
