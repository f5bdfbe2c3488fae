"""The kinds of repositories that something of ours is published as."""

from dataclasses import dataclass

from ...builder.release.schema import MANIFEST


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of repository.

    Attributes:
        repo_type: What the Hub's client calls it; its pages are under the plural.
        content: What is published as it, in a word.
        listing: The file that names all files which are ours, as the keys or the items of its `files`.
        sdk: What a Space is run by, None for others.
    """

    repo_type: str
    content: str
    listing: str
    sdk: str | None = None

    def page(self, endpoint: str, repo_id: str) -> str:
        """Give the address of a repository's page."""
        return f"{endpoint}/{self.repo_type}s/{repo_id}"


DATASET = Kind("dataset", "release", MANIFEST)
