"""What the commands that make a release say at the end."""

from pathlib import Path


def say_complete(release: Path, already: bool) -> None:
    """Say that a release is complete, and whether it was so before."""
    was_or_is = "was complete already" if already else "is complete"
    print(f"{release} {was_or_is}; `proofmatch stats {release}` describes it")
