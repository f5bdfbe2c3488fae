"""What goes wrong because of the user's input, worded for the user."""


class ProofmatchError(Exception):
    """A failure that one sentence explains: shown without a traceback.

    Attributes:
        exit_code: 2 for bad usage or input, 1 for a check that failed.
    """

    exit_code = 2


class CheckFailed(ProofmatchError):  # noqa: N818 - a verdict, not an accident
    """Something that was checked is not as it should be."""

    exit_code = 1


def first_line(error: BaseException) -> str:
    """Give the first line of what a library says of an error; many go on for a paragraph."""
    return str(error).strip().partition("\n")[0]
