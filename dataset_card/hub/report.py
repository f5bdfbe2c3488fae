"""What a push did, or would do, in words."""

from dataclasses import dataclass

from .kinds import Kind
from .plan import Plan


@dataclass(frozen=True)
class PushReport:
    """The outcome of a push.

    Attributes:
        repo_id: The repository.
        kind: What kind of repository it is.
        url: Its web page.
        private: Whether only its owners see it.
        created: Whether it was made (or would be) by this push.
        plan: The files that were added, changed and deleted.
        commit: The commit that holds what was pushed; None if there is none yet.
        tag: The tag that names this commit, if one was asked for.
        dry_run: Whether nothing was sent.
        note: What else the user ought to know.
        use: How to use what was pushed, with places for `repo_id` and `revision`.
    """

    repo_id: str
    kind: Kind
    url: str
    private: bool
    created: bool
    plan: Plan
    commit: str | None
    tag: str | None
    dry_run: bool
    note: str | None = None
    use: str | None = None

    def describe(self) -> str:
        """Say what was done and how to use the result."""
        visibility = "private" if self.private else "public"
        lines = [f"{self.repo_id} ({visibility} {self.kind.repo_type}{', new' if self.created else ''})"]
        lines += [f"  add     {file.name} ({in_units(file.size)})" for file in self.plan.added]
        lines += [f"  change  {file.name} ({in_units(file.size)})" for file in self.plan.changed]
        lines += [f"  delete  {file.name} ({in_units(file.size)})" for file in self.plan.deleted]
        lines.append(self._outcome())
        if self.note:
            lines.append(self.note)
        if self.dry_run:
            lines.append("Nothing was sent: this was a dry run.")
        else:
            revision = self.tag or self.commit
            lines.append(f"{self.url}/tree/{revision}")
            if self.use is not None:
                lines.append(self.use.format(repo_id=self.repo_id, revision=revision))
        return "\n".join(lines)

    def _outcome(self) -> str:
        tag = f" Tag: {self.tag}." if self.tag else ""
        if self.plan.is_empty:
            return f"The repository holds this {self.kind.content} already: no commit is needed.{tag}"
        uploads, deleted, kept = self.plan.uploads, self.plan.deleted, self.plan.unchanged
        size = in_units(sum(file.size for file in uploads))
        words = ("To upload", "to delete") if self.dry_run else ("Uploaded", "deleted")
        return (
            f"{words[0]}: {len(uploads):,} files ({size}); {words[1]}: {len(deleted):,}; "
            f"unchanged: {len(kept):,}.{tag}"
        )


def in_units(size: int) -> str:
    """Write a number of bytes for people."""
    if size < 1_000:
        return f"{size} B"
    number = float(size)
    for unit in ("kB", "MB", "GB"):
        number /= 1_000
        if number < 999.95:
            return f"{number:.1f} {unit}"
    return f"{number / 1_000:.1f} TB"
