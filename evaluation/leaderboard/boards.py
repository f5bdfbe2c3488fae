"""Checked results → boards of comparable systems: a row for each system and input, a score for each decoding.

Facts about a release are taken from the release itself, never from result files.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from proofmatch import __version__
from proofmatch.errors import one_line, quoted

from ...builder.release.release import Release
from ..decoding.candidates import DEFAULT_K
from ..metrics import ONE_TO_ONE, RANKING, TIE_RULE
from ..system import normalization_in_words
from ..training_data import in_words, read_entries
from .resemblance import find_resemblances
from .results import Entry, board_of, split_of

_CONFIGS = {"pairs": "mixed", "pairs_by_article": "by article"}
_SPLITS = ("test", "validation", "train", "all")
_INPUTS = ("both", "text", "math", None)
_BASELINES = ("tfidf", "dice", "bm25")  # the names that `proofmatch baseline` gives its systems

_ABLATION = "ablation"  # the folder of results that show how much a part of a system contributes
_VARIANTS = {
    "full": "all variables renamed",
    "partial": "half of the variables renamed",
    "transpose": "shared variables permuted",
}

_SEEN = "may have seen answers of this split in training"
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
        kind: `model`, `baseline`, `ablation`, or `reported` for figures that others published.
        input: `both`, `text` or `math`, as its authors say; None if unknown.
        scores: The available scores, by the names of `SCORES`.
        checked: Whether its scores were computed here from its predictions. If not, it has no rank.
        normalization: A description of how scores are normalized over all pairs.
        url: Where to read about the system.
        notes: A sentence about it.
        date: When it was submitted.
        submitter: Who submitted it.
        training_data: What it was trained on, as its authors say; None for published figures.
        training_minutes: Its training time.
        evaluator: The version of the evaluator that computed the scores, or is claimed to have.
        origin: One of its files, if another system on the board has the same name.
        remarks: Caveats, such as missing predictions.
        has_seen: Whether the system may have seen answers of the split in training. If so, it has no rank.
        ranks: Its rank by each score, among the ranked rows of its board.
    """

    system: str
    kind: str
    input: str | None
    scores: Mapping[str, Score]
    checked: bool = False
    normalization: str | None = None
    url: str | None = None
    notes: str | None = None
    date: str | None = None
    submitter: str | None = None
    training_data: str | None = None
    training_minutes: float | None = None
    evaluator: str | None = None
    origin: str | None = None
    remarks: tuple[str, ...] = ()
    has_seen: bool = False
    ranks: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_ranked(self) -> bool:
        """Whether it can be compared with others: it was checked, and has not seen the answers."""
        return self.checked and not self.has_seen


@dataclass(frozen=True, slots=True)
class Board:
    """Systems on the same task.

    Attributes:
        slug: Its name in links, which does not depend on other boards.
        dataset: The name of the release; for an unverified one, as its results say.
        revision: The commit of the release on the Hub, if it was opened there.
        manifest_sha256: The hash of the release's manifest; None for a corpus without a release.
        config: `pairs` or `pairs_by_article`.
        split: The split.
        transductive: Whether rankings use the other statements of the split, as the systems' authors say.
        n_statements: The number of statements.
        n_proofs: The number of candidate proofs.
        rows: The rows: first those with ranks, the best first; then the others by name.
        evaluator: The version of the evaluator that computed the ranked scores.
        verified: Whether the release is one of `--data`.
        source: The paper whose figures the board has, if any.
        variant_of: The name of the release that this one is a variant of, if it is one of `--data`.
        renamed: A description of how a variant was made.
    """

    slug: str
    dataset: str
    revision: str | None
    manifest_sha256: str | None
    config: str
    split: str
    transductive: bool
    n_statements: int
    n_proofs: int
    rows: tuple[Row, ...]
    evaluator: str | None = None
    verified: bool = False
    source: str | None = None
    variant_of: str | None = None
    renamed: str | None = None

    @property
    def name(self) -> str:
        """A description of the release, such as `stacks, all variables renamed`."""
        name = self.variant_of or self.dataset
        return f"{name}, {self.renamed}" if self.renamed else name

    @property
    def setting(self) -> str:
        """A description of the split, and whether rankings use the other statements."""
        split = "all pairs" if self.split == "all" else f"{self.split} split"
        by_article = " by article" if self.config == "pairs_by_article" else ""
        return f"{split}{by_article}" + (", transductive (claimed)" if self.transductive else "")

    @property
    def title(self) -> str:
        """A description of the whole board."""
        return f"{self.name}: {self.setting}"

    @property
    def ranked_rows(self) -> tuple[Row, ...]:
        """The rows that can be compared."""
        return tuple(row for row in self.rows if row.is_ranked)

    @property
    def other_rows(self) -> tuple[Row, ...]:
        """The rows that are listed separately."""
        return tuple(row for row in self.rows if not row.is_ranked)


def make_boards(entries: Iterable[Entry], releases: Sequence[Release] = ()) -> list[Board]:
    """Group results into boards: first those of the releases, in their order, then those of unknown ones.

    Args:
        entries: The results.
        releases: The releases that they may belong to.
    """
    entries = list(entries)
    remarks = find_resemblances(entries)
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(_board_key(entry), []).append(entry)
    boards = []
    for key in sorted(groups, key=repr):
        slugs = {board.slug for board in boards}
        boards.append(_make_board(groups[key], remarks, slugs, releases))
    # Among unknown releases, the one with the most results comes first.
    places: dict[str, int] = {}
    for manifest, number in Counter(split_of(entry)[0] for entry in entries).items():
        places[manifest] = -number
    for place, release in enumerate(releases, start=-len(entries) - len(releases)):
        places[release.manifest_sha256] = place
    return sorted(boards, key=lambda board: _order(board, places))


def duplicates(entries: Iterable[Entry]) -> list[str]:
    """Name the results that compete for the same place on a board."""
    places: dict[tuple[Any, ...], list[str]] = {}
    for entry in entries:
        # Without the folder, because a board should not have the same name twice.
        key = (*board_of(entry), *_row_key(entry)[1:], _decoding_of(entry))
        places.setdefault(key, []).append(entry.name)
    return [
        f"{quoted(second)}: the same system, input and decoding are in {quoted(names[0])}; "
        "remove one of them or give its system another name"
        for names in places.values()
        for second in names[1:]
    ]


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Sort rows: ranked ones first, by MRR or else by the next score that a row has; others by name."""

    def order(row: Row) -> tuple[Any, ...]:
        values = [-row.scores[name].value if name in row.scores else 1.0 for name in SCORES]
        name = row.system.casefold(), row.system, _INPUTS.index(row.input), row.normalization or ""
        return (False, *values, *name) if row.is_ranked else (True, *name, *values)

    return tuple(sorted(rows, key=order))


def make_slug(*parts: str) -> str:
    """Make a name for links: letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"


def _board_key(entry: Entry) -> tuple[Any, ...]:
    """Return the key of a result's board: its release or, if unknown, everything that it says about it."""
    key = board_of(entry)
    if entry.task is not None:
        return (False, *key)
    said = entry.content
    return (True, *key, said["dataset"]["id"], said["n_statements"], said["n_proofs"])


def _row_key(entry: Entry) -> tuple[Any, ...]:
    """Return the key of a result's row: folder, system, input and normalization."""
    system = entry.system
    settings = system.get("normalization") or {}
    return (
        (entry.folder, entry.is_checked),
        system["name"],
        system.get("input"),
        tuple(sorted((name, str(settings[name])) for name in settings)),
    )


def _decoding_of(entry: Entry) -> str:
    """Tell which scores of a row a result has, judging by its predictions and not by its sidecar."""
    if _seen(entry) == RANKING:
        return _RANKED
    return _EXACT if entry.system.get("decoding") == "exact" else _MATCHED


def _seen(entry: Entry) -> str:
    """Return the decoding that the evaluator detected, also for results of older versions without it."""
    content = entry.content
    is_matching = content["scores"]["one_to_one"] or entry.system.get("decoding") in ("global", "exact")
    return content.get("decoding_seen") or (ONE_TO_ONE if is_matching else RANKING)


def _make_board(
    entries: Sequence[Entry],
    remarks: Mapping[str, tuple[str, ...]],
    slugs: set[str],
    releases: Sequence[Release],
) -> Board:
    content, task = entries[0].content, entries[0].task
    dataset = content["dataset"]
    transductive = bool(entries[0].system.get("transductive"))
    name = dataset["id"] if task is None else task.release.id
    slug = make_slug(
        "unverified" if task is None else name,
        dataset["manifest_sha256"][:8],
        _CONFIGS[dataset["config"]],
        dataset["split"],
        *(["transductive"] if transductive else []),
    )
    made = {} if task is None else task.release.parameters
    originals = {release.manifest_sha256: release.id for release in releases}
    number = 1
    while (numbered := slug if number == 1 else f"{slug}-{number}") in slugs:
        number += 1
    return Board(
        slug=numbered,
        dataset=name,
        revision=None if task is None else task.release.revision,
        manifest_sha256=dataset["manifest_sha256"],
        config=dataset["config"],
        split=dataset["split"],
        transductive=transductive,
        n_statements=content["n_statements"] if task is None else len(task.statement_ids),
        n_proofs=content["n_proofs"] if task is None else len(task.proof_ids),
        rows=sorted_rows(_with_ranks(_make_rows(entries, remarks))),
        evaluator=None if task is None else __version__,
        verified=task is not None,
        variant_of=originals.get(made.get("variant_of_manifest", "")),
        renamed=_VARIANTS.get(made.get("symbols", "")),
    )


def _make_rows(entries: Sequence[Entry], remarks: Mapping[str, tuple[str, ...]]) -> list[Row]:
    """Combine the decodings of each system; a second result for the same decoding begins another row."""
    found: dict[tuple[Any, ...], list[dict[str, Entry]]] = {}
    for entry in entries:
        decoding, rows = _decoding_of(entry), found.setdefault(_row_key(entry), [])
        free = next((row for row in rows if decoding not in row), None)
        if free is None:
            rows.append({decoding: entry})
        else:
            free[decoding] = entry
    names = Counter(key[1:] for key, rows in found.items() for _ in rows)
    return [
        _make_row(by_decoding, remarks, is_alone=names[key[1:]] == 1)
        for key, rows in found.items()
        for by_decoding in rows
    ]


def _make_row(
    by_decoding: Mapping[str, Entry], remarks: Mapping[str, tuple[str, ...]], *, is_alone: bool
) -> Row:
    """Combine the results of a system, at least one, by decoding."""
    entries = list(by_decoding.values())
    systems, first = [one.system for one in entries], entries[0].system
    normalization = normalization_in_words(first.get("normalization")) if first.get("transductive") else None
    told = [remark for one in entries for remark in (*_other_rules(one), *remarks.get(one.name, ()))]
    return Row(
        system=first["name"],
        kind=_kind_of(entries[0]),
        input=first.get("input"),
        scores={
            name: _score(by_decoding[decoding], measure)
            for name, (decoding, measure) in SCORES.items()
            if decoding in by_decoding
        },
        checked=entries[0].is_checked,
        normalization=normalization,
        url=_first(systems, "url"),
        notes=_first(systems, "notes"),
        date=_first(systems, "date"),
        submitter=_first(systems, "submitter"),
        training_data=_training_data(systems),
        training_minutes=_minutes(_first(systems, "training_seconds")),
        evaluator=", ".join(sorted({one.content["evaluator"]["version"] for one in entries})),
        origin=None if is_alone else min(one.name for one in entries),
        remarks=tuple(dict.fromkeys(told)),
        has_seen=any(one.content.get("allow_seen") for one in entries),
    )


def _kind_of(entry: Entry) -> str:
    if _ABLATION in PurePosixPath(entry.name).parts[:-1]:
        return _ABLATION
    return "baseline" if entry.system["name"] in _BASELINES else "model"


def _other_rules(entry: Entry) -> list[str]:
    other = [] if entry.content["evaluator"]["tie_rule"] == TIE_RULE else ["uses another tie rule"]
    if not entry.content.get("allow_seen"):
        return other
    seen, of = entry.system.get("seen_answers"), entry.content["n_statements"]
    return [*other, f"has seen {seen:,} of {of:,} answers in training" if seen else _SEEN]


def _training_data(systems: Sequence[dict[str, Any]]) -> str:
    stated = (system.get("trained_on") for system in systems)
    words = dict.fromkeys(in_words(None if one is None else read_entries(one)) for one in stated)
    return one_line(" / ".join(words))


def _with_ranks(rows: Sequence[Row]) -> list[Row]:
    """Rank the checked rows of a board by each score; equal scores share a rank."""
    values = {
        name: [row.scores[name].value for row in rows if row.is_ranked and name in row.scores]
        for name in SCORES
    }
    return [
        replace(
            row,
            ranks={
                name: 1 + sum(other > score.value for other in values[name])
                for name, score in row.scores.items()
                if row.is_ranked
            },
        )
        for row in rows
    ]


def _score(entry: Entry, measure: str) -> Score:
    scores = entry.content["scores"]
    low, high = scores["ci95"][measure]
    return Score(scores[measure], (low, high), entry.name, _remark(entry))


def _remark(entry: Entry) -> str | None:
    """Describe a decoding that is unusual, or not what its authors say."""
    said, seen = entry.system.get("decoding"), _seen(entry)
    details = entry.system.get("details")
    top_k = details.get("top_k") if isinstance(details, dict) else None
    if (said == "local") != (seen == RANKING) and said in ("local", "global", "exact"):
        return f"claimed to be {said}, detected as {seen}"
    if seen not in (RANKING, ONE_TO_ONE):
        return seen
    if said == "global" and isinstance(top_k, int) and top_k != DEFAULT_K:
        return f"best {top_k:,}"
    return said if said not in (None, "local", "global", "exact") else None


def _order(board: Board, places: Mapping[str, int]) -> tuple[Any, ...]:
    return (
        places[board.manifest_sha256 or ""],
        board.dataset,
        board.manifest_sha256,
        board.transductive,
        list(_CONFIGS).index(board.config),
        _SPLITS.index(board.split),
        board.slug,
    )


def _first(systems: Sequence[dict[str, Any]], name: str) -> Any:  # noqa: ANN401 - the value of any field
    return next((system[name] for system in systems if system.get(name) is not None), None)


def _minutes(seconds: object) -> float | None:
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < 1e12:
        return None
    return seconds / 60
