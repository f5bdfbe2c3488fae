"""Submissions → boards: only what can be compared is on the same one."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from proofmatch.errors import ProofmatchError, quoted

from ..metrics import TIE_RULE
from .placing import board_key, duplicates, row_key
from .reading import Submission
from .rows import SCORES, Row, decoding_of, make_row, with_ranks

_CONFIGS = {"pairs": "mixed", "pairs_by_article": "by article"}
_SPLITS = ("test", "validation", "train")
_INPUTS = ("both", "text", "math", None)


@dataclass(frozen=True, slots=True)
class Board:
    """Systems that did the same task, and are scored by the same rule.

    Attributes:
        slug: Its name in addresses, which stays when other boards come and go.
        dataset: What the release is called.
        manifest_sha256: The hash of the release's manifest; None for a corpus of which there is no release.
        config: `pairs` or `pairs_by_article`.
        split: The split.
        transductive: Whether rankings use the whole set of candidates.
        tie_rule: Where the gold proof ranks among equal scores; None if that is not known.
        n_statements: How many statements there are.
        n_proofs: How many proofs they choose from.
        evaluator: The version of the evaluator whose scores are ranked.
        rows: The best first.
        source: For figures that others published: where.
    """

    slug: str
    dataset: str
    manifest_sha256: str | None
    config: str
    split: str
    transductive: bool
    tie_rule: str | None
    n_statements: int
    n_proofs: int
    evaluator: str | None
    rows: tuple[Row, ...]
    source: str | None = None

    @property
    def splitting(self) -> str:
        """How the split was made, in words."""
        return _CONFIGS[self.config]

    @property
    def has_other_tie_rule(self) -> bool:
        """Whether its scores follow a rule that is not the present one."""
        return self.tie_rule not in (None, TIE_RULE)


def make_boards(submissions: Iterable[Submission], checked: frozenset[str] = frozenset()) -> list[Board]:
    """Lay out results, the release with the most results first.

    Args:
        submissions: The results.
        checked: The names of those that have been computed anew.

    Raises:
        ProofmatchError: If two results are of the same system, or contradict each other.
    """
    submissions = list(submissions)
    if repeated := duplicates(submissions):
        raise ProofmatchError("\n  ".join(["some results are there twice:", *repeated]))
    groups: dict[tuple[Any, ...], list[Submission]] = {}
    for submission in submissions:
        groups.setdefault(board_key(submission), []).append(submission)
    boards = [_make_board(group, checked) for group in groups.values()]
    numbers = Counter(submission.content["dataset"]["manifest_sha256"] for submission in submissions)
    return sorted(boards, key=lambda board: _order(board, numbers))


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Put the best first, by MRR or else by the next score that a row has."""

    def order(row: Row) -> tuple[Any, ...]:
        values = [-row.scores[name].value if name in row.scores else 1.0 for name in SCORES]
        return (*values, row.system, _INPUTS.index(row.input), row.normalization or "")

    return tuple(sorted(rows, key=order))


def make_slug(*parts: str) -> str:
    """Make a name for addresses: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"


def _make_board(submissions: Sequence[Submission], checked: frozenset[str]) -> Board:
    first = submissions[0].content
    _refuse_contradictions(submissions)
    dataset, evaluator = first["dataset"], _newest(one.content["evaluator"]["version"] for one in submissions)
    systems: dict[tuple[Any, ...], dict[str, Submission]] = {}
    for submission in submissions:
        systems.setdefault(row_key(submission), {})[decoding_of(submission)] = submission
    rows = [
        make_row(by_decoding, all(one.name in checked for one in by_decoding.values()))
        for by_decoding in systems.values()
    ]
    # A release may have been opened from a folder by one and from the Hub by another.
    name = min(
        (one.content["dataset"]["id"] for one in submissions), key=lambda name: ("/" not in name, name)
    )
    transductive = bool(submissions[0].system.get("transductive"))
    tie_rule = first["evaluator"]["tie_rule"]
    return Board(
        slug=make_slug(
            name,
            dataset["manifest_sha256"][:8],
            _CONFIGS[dataset["config"]],
            dataset["split"],
            *(["transductive"] if transductive else []),
            *([] if tie_rule == TIE_RULE else ["ties", tie_rule[:40]]),
        ),
        dataset=name,
        manifest_sha256=dataset["manifest_sha256"],
        config=dataset["config"],
        split=dataset["split"],
        transductive=transductive,
        tie_rule=tie_rule,
        n_statements=first["n_statements"],
        n_proofs=first["n_proofs"],
        evaluator=evaluator,
        rows=sorted_rows(with_ranks(rows, evaluator)),
    )


def _refuse_contradictions(submissions: Sequence[Submission]) -> None:
    """Refuse results of one split that do not agree on its size."""
    sizes = {(one.content["n_statements"], one.content["n_proofs"]): one.name for one in submissions}
    if len(sizes) > 1:
        names = " and ".join(sorted(map(quoted, sizes.values()))[:2])
        raise ProofmatchError(f"{names} are of the same split, but of different size; evaluate them anew")


def _order(board: Board, numbers: Counter[str | None]) -> tuple[Any, ...]:
    return (
        -numbers[board.manifest_sha256],
        board.dataset,
        board.manifest_sha256,
        board.tie_rule != TIE_RULE,
        board.tie_rule,
        board.transductive,
        list(_CONFIGS).index(board.config),
        _SPLITS.index(board.split),
    )


def _newest(versions: Iterable[str]) -> str:
    def parts(version: str) -> tuple[list[tuple[int, str]], str]:
        # Not as numbers: somebody may have written more digits than Python takes for one.
        numbers = (part.lstrip("0") for part in re.findall(r"[0-9]+", version))
        return [(len(number), number) for number in numbers], version

    return max(versions, key=parts)
