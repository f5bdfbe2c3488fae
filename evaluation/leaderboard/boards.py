"""Submissions → boards of comparable systems: a row for each system and input, a score for each decoding."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proofmatch.errors import ProofmatchError, quoted

from ..decoding.candidates import DEFAULT_K
from ..metrics import TIE_RULE
from ..system import normalization_in_words
from .results import Submission

_CONFIGS = {"pairs": "mixed", "pairs_by_article": "by article"}
_SPLITS = ("test", "validation", "train", "all")
_INPUTS = ("both", "text", "math", None)
_BASELINES = ("tfidf", "dice")  # the names that `proofmatch baseline` gives its systems

_RANKED, _MATCHED, _EXACT = "ranking", "one_to_one", "one_to_one_exact"
# The scores of a row: the decoding, and the measure of its result.
SCORES = {
    "mrr": (_RANKED, "mrr"),
    "accuracy": (_RANKED, "accuracy"),
    "one_to_one": (_MATCHED, "accuracy"),
    "one_to_one_exact": (_EXACT, "accuracy"),
}


@dataclass(frozen=True, slots=True)
class Score:
    """A score of a row.

    Attributes:
        value: From 0 to 1.
        interval: Its 95% interval, if known.
        file: The result file that it is from.
        remark: A remark, such as an unusual decoding.
    """

    value: float
    interval: tuple[float, float] | None = None
    file: str | None = None
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A system with one input.

    Attributes:
        system: The system's name.
        kind: `model`, `baseline`, or `reported` for figures that others published.
        input: `both`, `text` or `math`; None if unknown.
        scores: The scores that there are results for, by the names of `SCORES`.
        normalization: How scores are normalised over the whole candidate set, in words.
        url: Where to read about the system.
        notes: A sentence about it.
        training_minutes: Its training time.
        evaluators: The evaluator versions of its results.
        checked: Whether its scores were computed again from its predictions.
        ranks: Its rank by each score, among the comparable rows of its board.
    """

    system: str
    kind: str
    input: str | None
    scores: Mapping[str, Score]
    normalization: str | None = None
    url: str | None = None
    notes: str | None = None
    training_minutes: float | None = None
    evaluators: tuple[str, ...] = ()
    checked: bool = False
    ranks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Board:
    """Systems on the same task, scored by the same rule.

    Attributes:
        slug: Its name in links, which does not depend on other boards.
        dataset: The name of the release.
        manifest_sha256: The hash of the release's manifest; None for a corpus without a release.
        config: `pairs` or `pairs_by_article`.
        split: The split.
        transductive: Whether rankings use the whole candidate set.
        tie_rule: Where the gold proof ranks among equal scores; None if unknown.
        n_statements: The number of statements.
        n_proofs: The number of candidate proofs.
        evaluator: The evaluator version whose scores are ranked.
        rows: The rows, the best first.
        source: The paper whose figures the board has, if any.
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
        """How the data were split, in words."""
        return _CONFIGS[self.config]

    @property
    def has_other_tie_rule(self) -> bool:
        """Whether its scores follow an outdated tie rule."""
        return self.tie_rule not in (None, TIE_RULE)


def make_boards(submissions: Iterable[Submission], checked: frozenset[str] = frozenset()) -> list[Board]:
    """Group results into boards, those of the release with the most results first.

    Args:
        submissions: The results.
        checked: The names of those that were computed again.

    Raises:
        ProofmatchError: If two results are of the same system, or contradict each other.
    """
    submissions = list(submissions)
    if repeated := duplicates(submissions):
        raise ProofmatchError("\n  ".join(["some results are there twice:", *repeated]))
    groups: dict[tuple[Any, ...], list[Submission]] = {}
    for submission in submissions:
        groups.setdefault(_board_key(submission), []).append(submission)
    boards = [_make_board(group, checked) for group in groups.values()]
    numbers = Counter(submission.content["dataset"]["manifest_sha256"] for submission in submissions)
    return sorted(boards, key=lambda board: _order(board, numbers))


def duplicates(submissions: Iterable[Submission]) -> list[str]:
    """Name the results that have the same place on a board, neither of which can be preferred."""
    places: dict[tuple[Any, ...], list[str]] = {}
    for submission in submissions:
        key = (*_board_key(submission), *_row_key(submission), _decoding_of(submission))
        places.setdefault(key, []).append(submission.name)
    return [
        f"{quoted(second)}: the same system, input and decoding are in {quoted(names[0])}; "
        "remove one of them or give its system another name"
        for names in places.values()
        for second in names[1:]
    ]


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Sort rows by MRR, the best first, or else by the next score that a row has."""

    def order(row: Row) -> tuple[Any, ...]:
        values = [-row.scores[name].value if name in row.scores else 1.0 for name in SCORES]
        return (*values, row.system, _INPUTS.index(row.input), row.normalization or "")

    return tuple(sorted(rows, key=order))


def make_slug(*parts: str) -> str:
    """Make a name for links: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"


def _board_key(submission: Submission) -> tuple[Any, ...]:
    """Return what results of one board have in common."""
    dataset = submission.content["dataset"]
    return (
        dataset["manifest_sha256"],
        dataset["config"],
        dataset["split"],
        bool(submission.system.get("transductive")),
        submission.content["evaluator"]["tie_rule"],
    )


def _row_key(submission: Submission) -> tuple[Any, ...]:
    """Return what results of one row have in common: system, input and normalisation."""
    system = submission.system
    settings = system.get("normalization") or {}
    return (
        system["name"],
        system.get("input"),
        tuple(sorted((name, str(settings[name])) for name in settings)),
    )


def _decoding_of(submission: Submission) -> str:
    """Tell which scores of a row a result has.

    Names other than `local`, `global` and `exact` say nothing, so the predictions decide: if no proof is
    chosen twice, it is a matching.
    """
    by_name = {"local": _RANKED, "global": _MATCHED, "exact": _EXACT}
    return by_name.get(submission.system.get("decoding", "")) or (
        _MATCHED if submission.content["scores"]["one_to_one"] else _RANKED
    )


def _make_board(submissions: Sequence[Submission], checked: frozenset[str]) -> Board:
    first = submissions[0].content
    _refuse_contradictions(submissions)
    dataset, evaluator = first["dataset"], _newest(one.content["evaluator"]["version"] for one in submissions)
    systems: dict[tuple[Any, ...], dict[str, Submission]] = {}
    for submission in submissions:
        systems.setdefault(_row_key(submission), {})[_decoding_of(submission)] = submission
    rows = [
        _make_row(by_decoding, all(one.name in checked for one in by_decoding.values()))
        for by_decoding in systems.values()
    ]
    # Some may have opened the release from a folder, others from the Hub.
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
        rows=sorted_rows(_with_ranks(rows, evaluator)),
    )


def _refuse_contradictions(submissions: Sequence[Submission]) -> None:
    """Refuse results of one split that disagree on its size."""
    sizes = {(one.content["n_statements"], one.content["n_proofs"]): one.name for one in submissions}
    if len(sizes) > 1:
        names = " and ".join(sorted(map(quoted, sizes.values()))[:2])
        raise ProofmatchError(f"{names} are of the same split, but of different size; evaluate them again")


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
        # Compared as text: a hostile version may have more digits than Python converts to a number.
        numbers = (part.lstrip("0") for part in re.findall(r"[0-9]+", version))
        return [(len(number), number) for number in numbers], version

    return max(versions, key=parts)


def _make_row(submissions: Mapping[str, Submission], checked: bool) -> Row:
    """Combine the results of a system, at least one, by decoding."""
    systems = [one.system for one in submissions.values()]
    first = systems[0]
    normalization = normalization_in_words(first.get("normalization")) if first.get("transductive") else None
    return Row(
        system=first["name"],
        kind="baseline" if first["name"] in _BASELINES else "model",
        input=first.get("input"),
        scores={
            name: _score(submissions[decoding], measure)
            for name, (decoding, measure) in SCORES.items()
            if decoding in submissions
        },
        normalization=normalization,
        url=_first(systems, "url"),
        notes=_first(systems, "notes"),
        training_minutes=_minutes(_first(systems, "training_seconds")),
        evaluators=tuple(sorted({one.content["evaluator"]["version"] for one in submissions.values()})),
        checked=checked,
    )


def _with_ranks(rows: Sequence[Row], evaluator: str | None) -> list[Row]:
    """Rank the rows of a board by each score; equal scores share a rank.

    Results of another evaluator version have no rank: they are not comparable.
    """
    compared = [row for row in rows if row.evaluators == (evaluator,)]
    values = {name: [row.scores[name].value for row in compared if name in row.scores] for name in SCORES}
    return [
        replace(
            row,
            ranks={
                name: 1 + sum(other > score.value for other in values[name])
                for name, score in row.scores.items()
                if row in compared
            },
        )
        for row in rows
    ]


def _score(submission: Submission, measure: str) -> Score:
    scores = submission.content["scores"]
    low, high = scores["ci95"][measure]
    return Score(scores[measure], (low, high), submission.name, _remark(submission))


def _remark(submission: Submission) -> str | None:
    decoding = submission.system.get("decoding")
    details = submission.system.get("details")
    top_k = details.get("top_k") if isinstance(details, dict) else None
    if decoding == "global" and isinstance(top_k, int) and top_k != DEFAULT_K:
        return f"best {top_k:,}"
    return decoding if decoding not in (None, "local", "global", "exact") else None


def _first(systems: Sequence[dict[str, Any]], name: str) -> Any:  # noqa: ANN401 - the value of any field
    return next((system[name] for system in systems if system.get(name) is not None), None)


def _minutes(seconds: object) -> float | None:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < 1e12:
        return None
    return seconds / 60
