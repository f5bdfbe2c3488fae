"""`result.json`: the scores of a system and the data they are for; its schema and its printed tables."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from proofmatch.errors import ProofmatchError, one_line, shown
from proofmatch.storage import atomic_file, refuse_other_kind
from proofmatch.strict_json import read_json

from .metrics import (
    MEASURES,
    RANKING,
    Bootstrap,
    CategoryScores,
    Difference,
    Measures,
    cumulative_assignments,
)
from .prediction_formats import FAULTS_SHOWN
from .system import (
    SYSTEM_FIELDS,
    System,
    is_date,
    is_line,
    normalization_in_words,
    normalized_text,
)
from .training_data import in_words

if TYPE_CHECKING:
    import pandas as pd
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMA_VERSION = 1
_SCHEMA = Path(__file__).parent / "result.schema.json"
_CATEGORIES_SHOWN = 10
_ROUNDING = 1e-6  # of the bounds of intervals
_LONGEST_VERSION = 60
# The formats of the schema that are our own.
_FORMATS = {
    "line": "a line of text without invisible characters",
    "day": "a day such as 2026-01-31",
    "version": "a version by PEP 440",
}


@dataclass(frozen=True, slots=True)
class Dataset:
    """The data of an evaluation."""

    id: str  # the release's folder name, or `OWNER/NAME` on the Hub
    revision: str | None  # the commit on the Hub, None for a folder
    manifest_sha256: str  # the hash of the release's manifest, and so of all its files
    config: str  # `pairs` or `pairs_by_article`
    split: str


@dataclass(frozen=True, slots=True)
class Evaluator:
    """The evaluator that computed the scores."""

    version: str  # of proofmatch
    tie_rule: str  # where the gold proof ranks among equal scores
    bootstrap: Bootstrap  # how the intervals were made


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of a system."""

    system: System
    dataset: Dataset
    evaluator: Evaluator
    predictions_sha256: str
    n_statements: int
    n_proofs: int  # number of proofs to choose from
    measures: Measures  # the scores, fractions from 0 to 1
    ci95: dict[str, tuple[float, float]]  # the 95% interval of each, by its name in the file
    one_to_one: bool  # whether no proof is the first choice of two statements
    decoding_seen: str  # what the predictions are, whatever the sidecar says: see `metrics.see_decoding`
    by_category: dict[str, CategoryScores]  # scores by primary category, the largest first
    assignment_counts: dict[int, int]  # how many proofs are the first choice of 0, 1, 2, … statements
    allow_seen: bool  # whether the system may have seen answers in training, and was scored anyway
    ranks: np.ndarray = field(compare=False, repr=False)  # of the gold proofs, not in the file, (statements)
    first_choices: np.ndarray = field(compare=False, repr=False)  # numbers of proofs, not in the file either

    @property
    def scores(self) -> dict[str, Any]:
        """The scores by their names in the result file: fractions from 0 to 1, `one_to_one` and `ci95`."""
        intervals = {name: list(interval) for name, interval in self.ci95.items()}
        return {**self.measures.as_dict(), "one_to_one": self.one_to_one, "ci95": intervals}

    def to_pandas(self) -> "pd.DataFrame":
        """Make a table of the scores, with the bounds of their 95% intervals."""
        import pandas as pd

        rows = [[value, *self.ci95[name]] for name, value in self.measures.as_dict().items()]
        columns = ["score", "ci95_low", "ci95_high"]
        return pd.DataFrame(rows, columns=columns, index=pd.Index(MEASURES, name="measure"))

    def _repr_html_(self) -> str:
        """Show the scores as a table in a notebook."""
        data = self.dataset
        caption = (
            f"{self.system.name} on {data.id}, {data.config}, {data.split}: "
            f"{self.n_statements:,} statements, {self.n_proofs:,} proofs"
        )
        rows = [
            f"<tr><th>{name}</th><td>{_percent(value)}</td><td>{_interval(self.ci95[name])}</td></tr>"
            for name, value in self.measures.as_dict().items()
        ]
        head = "<tr><th></th><th>%</th><th>95% interval</th></tr>"
        return f"<table><caption>{escape(caption)}</caption>{head}{''.join(rows)}</table>"

    def as_dict(self) -> dict[str, Any]:
        """Return the content of the result file, as `result.schema.json` describes it."""
        return {
            "schema_version": SCHEMA_VERSION,
            "system": self.system.as_dict(),
            "dataset": asdict(self.dataset),
            "evaluator": asdict(self.evaluator),
            "predictions_sha256": self.predictions_sha256,
            "n_statements": self.n_statements,
            "n_proofs": self.n_proofs,
            "decoding_seen": self.decoding_seen,
            "scores": self.scores,
            **({"allow_seen": True} if self.allow_seen else {}),
            "by_category": {name: asdict(scores) for name, scores in self.by_category.items()},
            "assignment_counts": {str(number): proofs for number, proofs in self.assignment_counts.items()},
        }

    def save(self, path: Path) -> None:
        """Write the result file, completely or not at all.

        Raises:
            ProofmatchError: If the file cannot be written, or another kind of file has its name.
        """
        check_result_name(path)
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        with atomic_file(path) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")


def check_result_name(path: Path) -> None:
    """Refuse the name of another kind of file for a result.

    Raises:
        ProofmatchError: If there is such a file.
    """
    refuse_other_kind(path, "a result", lambda path: {"scores", "predictions_sha256"} <= set(read_json(path)))


def result_faults(content: Any) -> list[str]:  # noqa: ANN401 - any JSON value
    """List the first faults of a result file's content with their places, and say if there are more."""
    faults = [_describe(error) for error in islice(_validator().iter_errors(content), FAULTS_SHOWN + 1)]
    if not faults:
        faults = [*_system_faults(content["system"]), *_interval_faults(content["scores"])]
    return faults if len(faults) <= FAULTS_SHOWN else [*faults[:FAULTS_SHOWN], "and more faults"]


def _system_faults(fields: dict[str, Any]) -> list[str]:
    """List faults of a system that the schema cannot express."""
    known = {name: fields[name] for name in SYSTEM_FIELDS if name in fields}
    try:
        System(**known, extra={name: fields[name] for name in fields if name not in known})
    except ProofmatchError as error:
        return [str(error)]
    return []


def _interval_faults(scores: dict[str, Any]) -> list[str]:
    """List the intervals that do not contain their scores; bounds have six digits."""
    return [
        f"scores.ci95.{name}: {shown([low, high])} does not contain the score {shown(scores.get(name))}"
        for name, (low, high) in scores["ci95"].items()
        if not low <= high or not low - _ROUNDING <= scores.get(name, low) <= high + _ROUNDING
    ]


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema import Draft202012Validator, FormatChecker

    formats = FormatChecker(formats=())
    for name, holds in (("line", _is_line), ("day", is_date), ("version", _is_version)):
        formats.checks(name)(lambda value, holds=holds: not isinstance(value, str) or holds(value))
    return Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")), format_checker=formats)


def _is_line(text: str) -> bool:
    return is_line(normalized_text(text))


def _is_version(text: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return len(text) <= _LONGEST_VERSION and Version(text) is not None
    except InvalidVersion:
        return False


def _describe(error: "ValidationError") -> str:
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    message = error.message.replace(repr(error.instance), shown(error.instance), 1)
    if error.validator == "format":
        message = f"{shown(error.instance)} must be {_FORMATS[str(error.validator_value)]}"
    return one_line(f"{place.removeprefix('.') or 'the file'}: {message}")


def result_tables(result: Result) -> str:
    """Format a result for a terminal."""
    data = result.dataset
    head = (
        f"{result.system.name} on {data.id}, {data.config}, {data.split}: "
        f"{result.n_statements:,} statements, {result.n_proofs:,} proofs"
    )
    if result.system.transductive:
        normalization = result.system.normalization
        how = f" ({normalization_in_words(normalization)})" if normalization else ""
        head += (
            f"\ntransductive{how}, as claimed: a ranking uses the other statements of the split; "
            "do not compare it with other rankings"
        )
    if claims := claims_of(result.system):
        head += f"\nclaimed, not checked: {', '.join(f'{name} {value}' for name, value in claims)}"
    head += f"\ntraining data: {in_words(result.system.training_entries)}"
    if result.allow_seen:
        seen = result.system.seen_answers
        number = "may have seen these answers" if seen is None else f"has seen {seen:,} of these answers"
        head += f"\nthe system {number} in training; do not compare it with systems that have not"
    scores = [
        [name, _percent(value), _interval(result.ci95[name])]
        for name, value in result.measures.as_dict().items()
    ]
    categories = [
        [name, f"{scores.n:,}", _percent(scores.mrr), _percent(scores.accuracy)]
        for name, scores in list(result.by_category.items())[:_CATEGORIES_SHOWN]
    ]
    others = len(result.by_category) - len(categories)
    assignments = [
        [least, f"{proofs:,}", _percent(proofs / result.n_proofs)]
        for least, proofs in cumulative_assignments(result.assignment_counts)
    ]
    one_to_one = "no, some proofs are the first choice of several statements"
    if result.one_to_one:
        one_to_one = "yes, no proof is the first choice of two statements"
    return "\n\n".join(
        [
            head,
            _table(["", "%", "95% interval"], scores),
            _table(["category", "statements", "MRR %", "accuracy %"], categories)
            + (f"\n({others:,} more; --out FILE writes all)" if others else ""),
            "proofs by the number of statements that rank them first\n"
            + _table(["statements", "proofs", "%"], assignments),
            f"one-to-one: {one_to_one}\npredictions: {decoding_in_words(result)}",
        ]
    )


def measures_table(measures: Measures) -> str:
    """Format scores without intervals."""
    return _table(["", "%"], [[name, _percent(value)] for name, value in measures.as_dict().items()])


def claims_of(system: System) -> list[tuple[str, str]]:
    """List the claims of a system's authors that predictions cannot confirm."""
    claims = [("input", system.input), ("decoding", system.decoding)]
    return [(name, value) for name, value in claims if value]


def decoding_in_words(result: Result) -> str:
    """Say whether the predictions are a ranking or a matching, and whether the sidecar disagrees."""
    seen = result.decoding_seen
    words = "a ranking" if seen == RANKING else f"a matching ({seen})"
    said = result.system.decoding
    if said in ("local", "global", "exact") and (said == "local") != (seen == RANKING):
        words += f", although the sidecar says that decoding is {said}"
    return words


def comparison_table(result: Result, other: Result, name: str, differences: dict[str, Difference]) -> str:
    """Format the differences between a system and another one, which is called `name`."""
    system, other_system = result.system, other.system
    rows = [
        [measure, f"{100 * found.difference:+.2f}", _interval(found.ci95, "+"), _percent(found.not_better)]
        for measure, found in ((measure, differences[measure]) for measure in MEASURES)
    ]
    title = f"{system.name} minus {name}, in points, paired over statements"
    names = [system.name, name]
    if system.transductive != other_system.transductive:
        one, plain = names if system.transductive else names[::-1]
        title += (
            f"\nnot directly comparable: {one} is transductive and {plain} is not, "
            "so one of them uses the other statements of the split"
        )
    elif (result.decoding_seen == RANKING) != (other.decoding_seen == RANKING):
        plain, one = names if result.decoding_seen == RANKING else names[::-1]
        title += (
            f"\nnot directly comparable: {one} is a matching and {plain} is a ranking, "
            "so one of them uses all statements at once"
        )
    return f"{title}\n\n{_table(['', 'difference', '95% interval', 'resamples not better %'], rows)}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.2f}"


def _interval(interval: tuple[float, float], sign: str = "") -> str:
    low, high = interval
    return f"{100 * low:{sign}.2f} to {100 * high:{sign}.2f}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out a table, with names aligned left and figures aligned right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    formats = [f"{{:{'>' if number else '<'}{width}}}" for number, width in enumerate(widths)]
    lines = ["  ".join(formats).format(*row) for row in (header, *rows)]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(lines)
