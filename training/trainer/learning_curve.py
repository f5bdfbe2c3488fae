"""How a run went, as a picture: its losses and its scores on validation; or several runs in one picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dataset_card.style import LIGHT, WIDTH, draw_svg, label, line_style
from .history import MEASURES, Entry, Point, best_evaluation, evaluations, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NO_LOSS = "no loss was logged"
_NO_EVALUATION = "the validation split was not evaluated"
_SMOOTH_FROM = 200  # fewer points can be seen one by one
_MAX_POINTS = 680  # a picture is no wider
_MAX_DOTS = 60  # more would hide the dashes of their line


@dataclass(frozen=True, slots=True)
class _Curve:
    """A line: its name in the legend, its points, its look, and the point that stands out."""

    name: str
    points: np.ndarray  # (n, 2): epochs and values
    look: dict[str, Any]
    best: Point | None = None


@dataclass(frozen=True, slots=True)
class _Plot:
    """Curves under a heading, what their values are, and what to say if there is nothing to draw."""

    heading: str
    values: str
    empty: str
    curves: list[_Curve] = field(default_factory=list)
    legend_columns: int = 3
    marked_epoch: float | None = None


def learning_curve(history: Sequence[Entry], best_by: str = "eval_mrr") -> str:
    """Draw a run as SVG.

    Args:
        history: Content of `history.json`.
        best_by: The measure whose best evaluation is marked.
    """
    losses, count = points(history, "loss"), len(evaluations(history))
    best = best_evaluation(history, best_by if best_by in MEASURES else "eval_mrr")
    training = _Plot("Training loss", "loss", _NO_LOSS, _loss_curves(losses))
    validation = _Plot("Scores on the validation split", "score, %", _NO_EVALUATION)
    said = [_NO_LOSS, _NO_EVALUATION]
    if losses:
        ends = [f"{point.value:.3g} at epoch {epochs_text(point.epoch)}" for point in (losses[0], losses[-1])]
        said[0] = f"training loss {' and '.join(ends)}"
    if best:
        epoch = float(best.get("epoch") or 0.0)
        where = f"best: epoch {epochs_text(epoch)}"
        curves = [
            _score_curve(name, points(history, measure), points([best], measure), number)
            for number, (measure, name) in enumerate(MEASURES.items())
        ]
        heading = f"Scores on the validation split ({where})"
        validation = _Plot(heading, "score, %", _NO_EVALUATION, curves, marked_epoch=epoch)
        scores = ", ".join(curve.name for curve in curves if curve.best)
        said[1] = f"{count} evaluation{'' if count == 1 else 's'}; {where}, {scores}"
    description = "; ".join(said) + "."
    description = description[0].upper() + description[1:]
    title = "Learning curve: training loss, and scores on the validation split"
    return _draw(title, description, 572, [training, validation])


def compare_curves(histories: Mapping[str, Sequence[Entry]]) -> str:
    """Draw the MRR of several runs, given the contents of `history.json` by their names; return the SVG."""
    curves = []
    for number, (run, history) in enumerate(histories.items()):
        scores = points(history, "eval_mrr")
        best = [max(scores, key=lambda point: point.value)] if scores else []
        curves.append(_score_curve(f"{label(run)}:", scores, best, number))
    # In pixels: a letter has about 8.5, the line beside a name 56, a row of the legend 22.
    columns = max(1, int((WIDTH - 80) // (56 + 8.5 * max((len(curve.name) for curve in curves), default=0))))
    return _draw(
        f"MRR on validation, in percent, of {len(curves)} runs",
        f"The best value of each run: {'; '.join(curve.name for curve in curves)}.",
        344 + 22 * -(-len(curves) // columns),
        [_Plot("MRR on validation (legend: best value)", "MRR, %", _NO_EVALUATION, curves, columns)],
    )


def epochs_text(epoch: float) -> str:
    """Write an epoch with as many decimals as it needs, two at most."""
    return f"{epoch:,.2f}".rstrip("0").rstrip(".")


def _draw(title: str, description: str, height: int, plots: Sequence[_Plot]) -> str:
    """Draw plots one below the other, over the same epochs."""

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(len(plots), sharex=True, squeeze=False)[:, 0]
        for axes, plot in zip(grid, plots, strict=True):
            _draw_plot(axes, plot)
        epochs = [curve.points[:, 0].max(initial=0) for plot in plots for curve in plot.curves]
        grid[0].set_xlim(0, max(epochs, default=0) or 1)

    return draw_svg(title, description, height, draw)


def _draw_plot(axes: "Axes", plot: _Plot) -> None:
    handles = []
    for curve in plot.curves:
        marker = "o" if len(curve.points) <= _MAX_DOTS else ""
        is_empty = not len(curve.points)  # unclipped, it would disturb the layout
        handles += axes.plot(*curve.points.T, marker=marker, clip_on=is_empty, **curve.look)
        if curve.best is not None:
            ring = {"marker": "o", "markersize": 12, "fillstyle": "none", "color": curve.look["color"]}
            axes.plot(*curve.best, clip_on=False, **ring)
    named = [(handle, curve.name) for handle, curve in zip(handles, plot.curves, strict=True) if curve.name]
    if named:
        above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "alignment": "left"}
        heading = {"title": plot.heading, "title_fontproperties": {"weight": "bold", "size": 15}}
        axes.legend(*zip(*named, strict=True), **above, **heading, ncols=plot.legend_columns)
    else:
        axes.set_title(plot.heading)
    if plot.marked_epoch is not None:
        axes.axvline(plot.marked_epoch, color=LIGHT.faint_ink, linestyle=(0, (4, 4)), linewidth=1)
    if not any(len(curve.points) for curve in plot.curves):
        axes.text(0.5, 0.5, plot.empty, transform=axes.transAxes, ha="center")
        axes.set_yticks([])
    elif 0 <= axes.dataLim.y0 <= axes.dataLim.y1 / 2:  # show zero unless it is far away
        axes.set_ylim(bottom=0)
    axes.set_xlabel("epoch")
    axes.set_ylabel(plot.values)
    axes.tick_params(axis="x", labelbottom=True)


def _score_curve(name: str, scores: list[Point], best: list[Point], number: int) -> _Curve:
    """Make the curve of a score in percent, with the best one in its name."""
    percent = np.reshape(scores, (-1, 2)) * (1, 100)
    marked = Point(best[0].epoch, 100 * best[0].value) if best else None
    value = f"{marked.value:.1f}" if marked else "none"
    return _Curve(f"{name} {value}", percent, line_style(number), marked)


def _loss_curves(losses: list[Point]) -> list[_Curve]:
    """Draw many losses faintly, with their moving average in front."""
    look = line_style(7)  # purple, which no measure has, without dashes
    curve = np.reshape(losses, (-1, 2))
    if len(curve) <= _SMOOTH_FROM:
        return [_Curve("", curve, look)]
    # Means of neighbours, so that a picture does not grow with the length of a training.
    starts = np.arange(0, len(curve), -(-len(curve) // _MAX_POINTS))
    curve = np.add.reduceat(curve, starts) / np.diff(starts, append=len(curve))[:, None]
    window = np.ones(2 * (len(curve) // 50) + 1)
    sums, sizes = (np.convolve(values, window, "same") for values in (curve[:, 1], np.ones(len(curve))))
    smooth = np.column_stack([curve[:, 0], sums / sizes])
    faint = {**look, "linewidth": 1, "alpha": 0.4}
    return [_Curve("as logged", curve, faint), _Curve("smoothed", smooth, look)]
