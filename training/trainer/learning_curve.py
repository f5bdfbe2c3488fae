"""How a run went, as a picture: its losses and its scores on validation; or several runs in one picture."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from proofmatch.errors import ProofmatchError

from .history import MEASURES, Entry, Point, best_evaluation, evaluations, points
from .panels import Line, Panel, draw_panels, epochs_text, line_style

_NO_LOSS = "no loss was logged"
_NO_EVALUATION = "the validation split was not evaluated"
_COLOUR_OF_LOSS = 3  # one that no measure has
_SMOOTH_FROM = 200  # fewer points can be seen one by one
_MOST = 680  # a picture is no wider
_LONGEST_NAME = 60


def learning_curve(history: Sequence[Entry], best_by: str = "eval_mrr") -> str:
    """Draw a run.

    Args:
        history: Content of `history.json`.
        best_by: The measure whose best evaluation is marked.

    Returns:
        The SVG.
    """
    losses = points(history, "loss")
    best = best_evaluation(history, best_by if best_by in MEASURES else "eval_mrr")
    scores, note = _validation(history, best) if best else (Panel("Validation", [], empty=_NO_EVALUATION), "")
    loss = Panel("Training loss", _loss_lines(losses), empty=_NO_LOSS)
    count = len(evaluations(history))
    said = [
        _said_of(losses) if losses else _NO_LOSS,
        f"{count} evaluation{'' if count == 1 else 's'}" if best else _NO_EVALUATION,
        note,
    ]
    return draw_panels(
        "Learning curve: training loss, and scores on the validation split",
        f"{_capitalized('; '.join(filter(None, said)))}.",
        [loss, scores],
    )


def compare_curves(histories: Mapping[str, Sequence[Entry]], measure: str = "eval_mrr") -> str:
    """Draw several runs in one picture.

    Args:
        histories: Contents of `history.json`, by the names of the runs.
        measure: What is drawn: `eval_mrr`, `eval_accuracy`, `eval_one_to_one_accuracy` or `loss`.

    Returns:
        The SVG.
    """
    if measure not in (*MEASURES, "loss"):
        raise ProofmatchError(f"there is no measure {measure!r}; measures are {', '.join(MEASURES)} and loss")
    lines = [
        _line_of_run(name, points(history, measure), measure, line_style(number))
        for number, (name, history) in enumerate(histories.items())
    ]
    if measure == "loss":
        heading, which, empty = "Training loss", "last", _NO_LOSS
    else:
        heading = f"{_capitalized(MEASURES[measure])} on validation, in percent"
        which, empty = "best", _NO_EVALUATION
    return draw_panels(
        f"{heading}, of {len(lines)} runs",
        f"The {which} value of each run: {'; '.join(line.label for line in lines)}.",
        [Panel(heading, lines, note=f"legend: {which} value of each run", empty=empty, height=260)],
    )


def _validation(history: Sequence[Entry], best: Entry) -> tuple[Panel, str]:
    """Make the panel of all measures, and say what is best."""
    lines, scores = [], []
    for number, (measure, label) in enumerate(MEASURES.items()):
        marked = next(iter(_in_percent(points([best], measure))), None)
        curve = _in_percent(points(history, measure))
        lines.append(Line(label, curve, *line_style(number), has_dots=True, marked=marked))
        scores += [f"{label} {marked.value:.1f}"] if marked else []
    epoch = float(best.get("epoch") or 0.0)
    note = f"best: epoch {epochs_text(epoch)}, {', '.join(scores)}"
    return Panel("Validation, in percent", lines, note=note, marked_epoch=epoch), note


def _line_of_run(name: str, logged: list[Point], measure: str, style: tuple[int, int]) -> Line:
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 1]}…"
    if not logged:
        return Line(f"{name}: none", [], *style)
    if measure == "loss":
        return Line(f"{name}: {logged[-1].value:.3g}", _smoothed(_thinned(logged)), *style)
    scores = _in_percent(logged)
    best = max(scores, key=lambda point: point.value)
    return Line(f"{name}: {best.value:.1f}", scores, *style, has_dots=True, marked=best)


def _loss_lines(losses: list[Point]) -> list[Line]:
    if len(losses) <= _SMOOTH_FROM:
        return [Line("", losses, _COLOUR_OF_LOSS)]
    thinned = _thinned(losses)
    return [
        Line("as logged", thinned, _COLOUR_OF_LOSS, is_faint=True),
        Line("smoothed", _smoothed(thinned), _COLOUR_OF_LOSS),
    ]


def _said_of(losses: list[Point]) -> str:
    ends = [f"{point.value:.3g} at epoch {epochs_text(point.epoch)}" for point in (losses[0], losses[-1])]
    return f"training loss {' and '.join(ends)}"


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _in_percent(some: list[Point]) -> list[Point]:
    return [Point(point.epoch, 100 * point.value) for point in some]


def _thinned(some: list[Point]) -> list[Point]:
    """Take means of neighbours, so that a picture does not grow with the length of a training."""
    size = -(-len(some) // _MOST)
    if size <= 1:
        return some
    groups = [some[start : start + size] for start in range(0, len(some), size)]
    return [Point(*(sum(column) / len(group) for column in zip(*group, strict=True))) for group in groups]


def _smoothed(some: list[Point]) -> list[Point]:
    """Average many points with their neighbours."""
    if len(some) <= _SMOOTH_FROM:
        return some
    reach = len(some) // 50
    sums = [0.0, *accumulate(point.value for point in some)]
    smooth = []
    for place, point in enumerate(some):
        first, end = max(0, place - reach), min(len(some), place + reach + 1)
        smooth.append(Point(point.epoch, (sums[end] - sums[first]) / (end - first)))
    return smooth
