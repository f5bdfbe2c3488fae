"""How a run went, as a picture: its losses and its scores on validation; or several runs in one picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from proofmatch.errors import ProofmatchError

from ...dataset_card.style import LIGHT, WIDTH, draw_svg, label, line_style
from .history import MEASURES, Entry, Point, best_evaluation, evaluations, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NO_LOSS = "no loss was logged"
_NO_EVALUATION = "the validation split was not evaluated"
_STYLE_OF_LOSS = 7  # purple, which no measure has, without dashes
_SMOOTH_FROM = 200  # fewer points can be seen one by one
_MAX_POINTS = 680  # a picture is no wider
_MAX_DOTS = 60  # more would hide the dashes of their line
_ROW = 22  # pixels of a row of the legend
_LETTER, _SAMPLE = 8.5, 56  # pixels: about as wide as a letter, and as the sample of a line in the legend


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a panel.

    Attributes:
        label: Its name in the legend; not in the legend if empty.
        points: In the order of their epochs.
        style: The number of its colour and dashes.
        is_faint: Whether it is the background of another.
        has_dots: Whether every point is marked.
        marked: The point that stands out, if there is one.
    """

    label: str
    points: Sequence[Point]
    style: int = 0
    is_faint: bool = False
    has_dots: bool = False
    marked: Point | None = None


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: its heading, its lines (what is in front last), and what to say if there are none."""

    heading: str
    lines: Sequence[Line]
    empty: str
    marked_epoch: float | None = None
    height: int = 264

    @property
    def columns(self) -> int:
        """How many labels fit beside each other."""
        longest = max((len(line.label) for line in self.lines), default=0)
        return max(1, int((WIDTH - 80) // (_SAMPLE + _LETTER * longest)))

    @property
    def whole_height(self) -> int:
        """Height with the legend, in pixels."""
        labelled = sum(bool(line.label) for line in self.lines)
        return self.height + _ROW * -(-labelled // self.columns)


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
    scores, note = _validation(history, best) if best else (Panel("Validation", [], _NO_EVALUATION), "")
    count = len(evaluations(history))
    said = [
        _describe_losses(losses) if losses else _NO_LOSS,
        f"{count} evaluation{'' if count == 1 else 's'}" if best else _NO_EVALUATION,
        note,
    ]
    return draw_panels(
        "Learning curve: training loss, and scores on the validation split",
        f"{_capitalized('; '.join(filter(None, said)))}.",
        [Panel("Training loss", _loss_lines(losses), _NO_LOSS), scores],
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
        _line_of_run(label(name), points(history, measure), measure, number)
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
        [Panel(f"{heading} (legend: {which} value)", lines, empty, height=344)],
    )


def draw_panels(title: str, description: str, panels: Sequence[Panel]) -> str:
    """Draw panels one below the other, over the same epochs; return the SVG."""

    def draw(figure: "Figure") -> None:
        heights = [panel.whole_height for panel in panels]
        grid = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=heights)
        for axes, panel in zip(grid[:, 0], panels, strict=True):
            _draw_panel(axes, panel)
        epochs = [point.epoch for panel in panels for line in panel.lines for point in line.points]
        grid[0, 0].set_xlim(0, max(epochs, default=0.0) or 1.0)

    return draw_svg(title, description, sum(panel.whole_height for panel in panels), draw)


def epochs_text(epoch: float) -> str:
    """Write an epoch with as many decimals as it needs, two at most."""
    return f"{epoch:,.2f}".rstrip("0").rstrip(".")


def _draw_panel(axes: "Axes", panel: Panel) -> None:
    from matplotlib.lines import Line2D

    handles = []
    for line in panel.lines:
        style = line_style(line.style)
        drawn = Line2D([], [], **style, alpha=0.4 if line.is_faint else 1)
        if line.label:
            handles.append(drawn)
        if not line.points:
            continue
        x, y = zip(*line.points, strict=True)
        has_dots = len(x) == 1 or (line.has_dots and len(x) <= _MAX_DOTS)
        faint = {"linewidth": 1, "alpha": 0.4} if line.is_faint else {}
        axes.plot(x, y, **style, **faint, marker="o" if has_dots else "", clip_on=False)
        if line.marked is not None:
            axes.plot(
                *line.marked, marker="o", markersize=12, fillstyle="none", color=style["color"], clip_on=False
            )
    labels = [line.label for line in panel.lines if line.label]
    if labels:
        axes.legend(
            handles,
            labels,
            title=panel.heading,
            title_fontproperties={"weight": "bold", "size": 15},
            alignment="left",
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=panel.columns,
        )
    else:
        axes.set_title(panel.heading)
    if panel.marked_epoch is not None:
        axes.axvline(panel.marked_epoch, color=LIGHT.faint_ink, linestyle=(0, (4, 4)), linewidth=1)
    if not any(line.points for line in panel.lines):
        axes.text(0.5, 0.5, panel.empty, transform=axes.transAxes, ha="center")
        axes.set_yticks([])
    elif 0 <= axes.dataLim.y0 <= axes.dataLim.y1 / 2:  # show zero unless it is far away
        axes.update_datalim([(0, 0)], updatex=False)
        axes.autoscale_view()
    axes.set_xlabel("epoch")
    axes.tick_params(axis="x", labelbottom=True)


def _validation(history: Sequence[Entry], best: Entry) -> tuple[Panel, str]:
    """Make the panel of all measures, and say what is best."""
    lines, scores = [], []
    for number, (measure, name) in enumerate(MEASURES.items()):
        marked = next(iter(_in_percent(points([best], measure))), None)
        curve = _in_percent(points(history, measure))
        score = f"{name} {marked.value:.1f}" if marked else ""
        lines.append(Line(score or name, curve, number, has_dots=True, marked=marked))
        scores += [score] if marked else []
    epoch = float(best.get("epoch") or 0.0)
    best_epoch = f"best: epoch {epochs_text(epoch)}"
    panel = Panel(f"Validation, in percent ({best_epoch})", lines, _NO_EVALUATION, epoch)
    return panel, f"{best_epoch}, {', '.join(scores)}"


def _line_of_run(name: str, logged: list[Point], measure: str, style: int) -> Line:
    if not logged:
        return Line(f"{name}: none", [], style)
    if measure == "loss":
        return Line(f"{name}: {logged[-1].value:.3g}", _smoothed(_thinned(logged)), style)
    scores = _in_percent(logged)
    best = max(scores, key=lambda point: point.value)
    return Line(f"{name}: {best.value:.1f}", scores, style, has_dots=True, marked=best)


def _loss_lines(losses: list[Point]) -> list[Line]:
    if len(losses) <= _SMOOTH_FROM:
        return [Line("", losses, _STYLE_OF_LOSS)]
    thinned = _thinned(losses)
    return [
        Line("as logged", thinned, _STYLE_OF_LOSS, is_faint=True),
        Line("smoothed", _smoothed(thinned), _STYLE_OF_LOSS),
    ]


def _describe_losses(losses: list[Point]) -> str:
    ends = [f"{point.value:.3g} at epoch {epochs_text(point.epoch)}" for point in (losses[0], losses[-1])]
    return f"training loss {' and '.join(ends)}"


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _in_percent(curve: list[Point]) -> list[Point]:
    return [Point(point.epoch, 100 * point.value) for point in curve]


def _thinned(curve: list[Point]) -> list[Point]:
    """Take means of neighbours, so that a picture does not grow with the length of a training."""
    size = -(-len(curve) // _MAX_POINTS)
    if size <= 1:
        return curve
    groups = [curve[start : start + size] for start in range(0, len(curve), size)]
    return [Point(*(sum(column) / len(group) for column in zip(*group, strict=True))) for group in groups]


def _smoothed(curve: list[Point]) -> list[Point]:
    """Average many points with their neighbours."""
    if len(curve) <= _SMOOTH_FROM:
        return curve
    reach = len(curve) // 50
    sums = [0.0, *accumulate(point.value for point in curve)]
    smooth = []
    for place, point in enumerate(curve):
        first, end = max(0, place - reach), min(len(curve), place + reach + 1)
        smooth.append(Point(point.epoch, (sums[end] - sums[first]) / (end - first)))
    return smooth
