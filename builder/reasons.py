"""Why something is not in the release: every drop has one of these names."""

from enum import StrEnum


class Reason(StrEnum):
    """The named reasons of `discarded.parquet`."""

    # The document cannot be read.
    EMPTY = "empty"
    NOT_MARKUP = "not-markup"
    TOO_LARGE = "too-large"
    WRONG_ENCODING = "wrong-encoding"
    ENTITY_DECLARATION = "entity-declaration"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    TOO_DEEP = "too-deep"
    UNREADABLE = "unreadable"
    UNSAFE_MEMBER = "unsafe-member"
    BROKEN_ARCHIVE = "broken-archive"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    # The LaTeX source cannot be converted.
    NOT_LATEX = "not-latex"
    NO_MAIN_FILE = "no-main-file"
    CONVERSION_FAILED = "conversion-failed"
    CONVERSION_TIMEOUT = "conversion-timeout"
    CONVERSION_MEMORY = "conversion-memory"
    # The document has nothing to extract.
    NO_PAIRS = "no-pairs"
    NOT_ENGLISH = "not-english"
    DUPLICATE_ARTICLE = "duplicate-article"
    # The pair does not fit.
    STATEMENT_TOO_SHORT = "statement-too-short"
    STATEMENT_TOO_LONG = "statement-too-long"
    PROOF_TOO_SHORT = "proof-too-short"
    PROOF_TOO_LONG = "proof-too-long"
    UNCONVERTIBLE_FORMULA = "unconvertible-formula"


class DocumentError(Exception):
    """A document that has to be discarded whole.

    Attributes:
        reason: Its named reason.
        detail: What exactly was found, in a few words.
    """

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
