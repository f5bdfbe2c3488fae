"""The kinds of matchers: how settings make one, and how a saved one is opened."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofmatch.errors import ProofmatchError, first_line

from ..builder.release.release import Release
from ..builder.release.schema import config_name
from .joint.matcher import JointMatcher
from .lexical.background import background_rows
from .lexical.config import LexicalMatcherConfig
from .lexical.matcher import LexicalMatcher
from .lexical.reader import read_features
from .lexical.vocabulary import count_vocabulary
from .model.config import ProofMatcherConfig
from .model.matcher import ProofMatcher
from .model.saved import SavedMatcher, kind_of_model
from .pairs import SIDES, column_of
from .quiet import quiet_library
from .settings import Settings
from .tokenizer import load_tokenizer, train_tokenizer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_KINDS: dict[str, type[SavedMatcher]] = {
    kind.config_class.model_type: kind  # pyright: ignore[reportOptionalMemberAccess]
    for kind in (ProofMatcher, LexicalMatcher, JointMatcher)
}


def open_matcher(folder_or_repository: str | Path) -> SavedMatcher:
    """Open a saved matcher of any kind.

    Raises:
        ProofmatchError: If there is none.
    """
    name = str(folder_or_repository)
    try:
        with quiet_library():
            kind = kind_of_model(name)
    except (OSError, ValueError) as error:
        raise ProofmatchError(
            f"{name} is neither a folder with a matcher nor OWNER/NAME of one on the Hub "
            f"({first_line(error)})"
        ) from None
    if kind not in _KINDS:
        raise ProofmatchError(f"{name} is a model of the kind {kind}, not one of {', '.join(_KINDS)}")
    return _KINDS[kind].from_pretrained(name)


def start_matcher(
    release: Release, settings: Settings, reads: str, by_article: bool, seed: int
) -> "tuple[PreTrainedTokenizerFast, SavedMatcher]":
    """Make the tokenizer and the untrained matcher that settings describe.

    Settings of a lexical matcher make one, those of an encoder make a self-attentive or pretrained one, and
    both together make a joint matcher.
    """
    from transformers import set_seed

    set_seed(seed)
    if settings.model.get("encoder") is not None:
        if settings.lexical:
            raise ProofmatchError("a pretrained encoder reads other texts than a lexical matcher does")
        return _pretrained(settings, reads)
    tokens = [
        column_of(release, config_name("pairs", by_article), "train", f"{side}_tokens") for side in SIDES
    ]
    tokenizer = train_tokenizer([texts for texts, _ in tokens], **settings.tokenizer)
    encoder = None
    if settings.model or not settings.lexical:
        encoder = ProofMatcher(
            ProofMatcherConfig(vocab_size=len(tokenizer), **{**settings.model, "input": reads})
        )
        if not settings.lexical:
            return tokenizer, encoder
    config = LexicalMatcherConfig(**{**settings.lexical, "input": reads})
    bags = [read_features(texts, tuple(config.groups), reads, origin) for texts, origin in tokens]
    vocabulary = count_vocabulary(bags, config.min_frequency)
    statements, _ = vocabulary.look_up_pairs(bags[0], bags[1])
    n_background = min(config.n_background, len(statements)) if config.hub_weight else 0
    chosen = background_rows(len(statements), n_background, seed)
    lexical = LexicalMatcher.from_bags(config, vocabulary, statements.take(chosen))
    if encoder is None:
        return tokenizer, lexical
    words = encoder.reader(tokenizer).read(tokens[0][0].take(chosen))
    return tokenizer, JointMatcher.from_parts(lexical, encoder, words)


def _pretrained(settings: Settings, reads: str) -> "tuple[PreTrainedTokenizerFast, SavedMatcher]":
    encoder = settings.model["encoder"]
    if encoder == "":
        raise ProofmatchError(
            f"the preset {settings.preset} trains a pretrained encoder; say which by --set encoder=OWNER/NAME"
        )
    kept: dict[str, Any] = {key: settings.model[key] for key in ("max_words",) if key in settings.model}
    matcher = ProofMatcher.from_encoder(encoder, **kept, input=reads)  # which is missed before its tokenizer
    return load_tokenizer(encoder, typed=False), matcher
