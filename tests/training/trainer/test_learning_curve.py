"""Learning curves: complete and well-formed for any log of a run."""

import math
from itertools import pairwise

import pytest
from lxml import etree
from matplotlib.figure import Figure

from proofmatch.dataset_card.style import LIGHT
from proofmatch.training.trainer import learning_curve as module
from proofmatch.training.trainer.learning_curve import compare_curves, learning_curve
from tests.training.trainer.histories import synthetic_history

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg):
    root = etree.fromstring(svg.encode())
    assert root.tag == f"{SVG}svg"
    return root


@pytest.fixture
def figures(monkeypatch) -> list[Figure]:
    """The figures that matplotlib was asked to draw, in the order of the calls."""
    drawn = []

    def draw_svg(title, description, height, draw):
        figure = Figure()
        draw(figure)
        drawn.append(figure)
        return f"{title}{description}{height}"

    monkeypatch.setattr(module, "draw_svg", draw_svg)
    return drawn


def curves(axes) -> list[tuple[list[float], list[float]]]:
    """The points of the lines, without rings and the line at the best epoch."""
    lines = [line for line in axes.lines if line.get_fillstyle() == "full"]
    return [(list(line.get_xdata()), list(line.get_ydata())) for line in lines if line.get_ydata()[0] != 0]


def labels(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_the_values_are_those_of_the_history(figures):
    history = synthetic_history(evaluations=7)
    learning_curve(history)
    losses, scores = map(curves, figures[0].axes)
    assert losses == [([entry["epoch"] for entry in history[:10]], [entry["loss"] for entry in history[:10]])]
    measured = [entry for entry in history if "eval_mrr" in entry]
    epochs = [entry["epoch"] for entry in measured]
    for measure, curve in zip(("mrr", "accuracy", "one_to_one_accuracy"), scores, strict=True):
        assert curve == (epochs, [100 * entry[f"eval_{measure}"] for entry in measured])


def test_the_best_evaluation_is_marked(figures):
    svg = learning_curve(synthetic_history())
    axes = figures[0].axes[1]
    rings = [line.get_xdata()[0] for line in axes.lines if line.get_fillstyle() == "none"]
    assert rings == [8, 8, 8]
    assert labels(axes) == ["MRR 50.0", "accuracy 38.5", "one-to-one accuracy 46.5"]
    assert "best: epoch 8" in axes.get_legend().get_title().get_text()
    assert "best: epoch 8, MRR 50.0, accuracy 38.5, one-to-one accuracy 46.5" in svg


def test_the_best_may_be_that_by_another_measure():
    history = synthetic_history()
    history[12]["eval_accuracy"] = 0.9
    assert "best: epoch 3," in learning_curve(history, best_by="eval_accuracy")
    assert "best: epoch 8," in learning_curve(history, best_by="eval_other")


def test_of_equally_good_evaluations_the_first_is_marked():
    history = [{"eval_mrr": score, "epoch": epoch} for epoch, score in enumerate((0.1, 0.3, 0.2, 0.3))]
    assert "best: epoch 1, MRR 30.0" in learning_curve(history)


@pytest.mark.parametrize(
    "history",
    [
        [],
        synthetic_history(1, 1, 1),
        synthetic_history(3, 5, 0),
        synthetic_history(3, 0, 3),
        synthetic_history(400, 900, 400),
        [{"loss": 2.0, "epoch": n} for n in range(5)] + [{"eval_mrr": 0.5, "epoch": n} for n in range(5)],
        [{"loss": 0.0, "epoch": n} for n in range(5)] + [{"eval_mrr": 0.0, "epoch": n} for n in range(5)],
        [{"loss": math.nan, "epoch": 1.0}, {"loss": math.inf, "epoch": 2.0}, {"eval_mrr": 1.0}],
        [{"loss": 4e8, "epoch": 0.001}, {"loss": 3e8, "epoch": 0.002}],
    ],
    ids=["nothing", "one", "no-evaluation", "no-loss", "long", "constant", "zero", "not-finite", "huge"],
)
def test_any_history_can_be_drawn(history):
    assert "nan" not in etree.tostring(parse(learning_curve(history)), encoding="unicode")


def test_a_run_without_evaluations_says_so():
    assert "the validation split was not evaluated" in learning_curve(synthetic_history(evaluations=0))
    assert "no loss was logged" in learning_curve([])


def test_many_losses_are_smoothed_and_few_are_not(figures):
    for logs in (200, 600):
        learning_curve(synthetic_history(logs=logs, evaluations=0))
    few, many = (figure.axes[0] for figure in figures)
    assert len(few.lines) == 1
    faint, smooth = many.lines
    assert labels(many) == ["as logged", "smoothed"]
    assert faint.get_alpha() < 1
    assert roughness(smooth) < roughness(faint) / 3


def roughness(line):
    values = line.get_ydata()
    return sum(abs(after - before) for before, after in pairwise(values))


def test_a_picture_does_not_grow_with_the_training():
    assert len(learning_curve(synthetic_history(logs=50_000, evaluations=0))) < 60_000


def test_the_same_history_gives_the_same_bytes():
    assert learning_curve(synthetic_history()) == learning_curve(synthetic_history())


def test_who_cannot_see_it_is_told_what_there_is_to_see():
    root = parse(learning_curve(synthetic_history()))
    assert "Learning curve" in root.findtext(f"{SVG}title")
    assert "10 evaluations; best: epoch 8, MRR 50.0" in root.findtext(f"{SVG}desc")


def test_runs_have_a_line_and_a_place_in_the_legend_each(figures):
    runs = {f"_run {number}": synthetic_history(evaluations=3 + number) for number in range(6)}
    compare_curves(runs)
    (axes,) = figures[0].axes
    assert [len(x) for x, _ in curves(axes) if len(x) > 1] == [3, 4, 5, 6, 7, 8]
    assert [text.split(":")[0] for text in labels(axes)] == list(runs)
    assert {line.get_color() for line in axes.lines} == set(LIGHT.series)


def test_names_cannot_break_the_picture():
    name = "</text><script>alert(1)</script> & \"more\" $\\frac 'quotes'"
    root = parse(compare_curves({name: synthetic_history()}))
    assert not list(root.iter(f"{SVG}script"))
    assert any(text.text.startswith(name) for text in root.iter(f"{SVG}text"))


def test_a_long_name_leaves_room_for_its_value():
    texts = [text.text for text in parse(compare_curves({"n" * 300: synthetic_history()})).iter(f"{SVG}text")]
    assert f"{'n' * 59}…: 50.0" in texts


def test_runs_without_the_measure_are_in_the_legend_too():
    assert "new: none" in compare_curves({"old": synthetic_history(), "new": []})
    assert "the validation split was not evaluated" in compare_curves({"new": []})
