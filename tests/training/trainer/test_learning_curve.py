"""Learning curves: well-formed, complete, with round axes, whatever a run has logged."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from proofmatch.errors import ProofmatchError
from proofmatch.training.trainer.axes import axis_of_epochs, axis_of_values
from proofmatch.training.trainer.learning_curve import compare_curves, learning_curve
from tests.training.trainer.histories import made_up_history

SVG = "{http://www.w3.org/2000/svg}"
FINITE = st.floats(-1e9, 1e9, allow_nan=False) | st.floats(999_000, 1_001_000) | st.floats(0, 1e-5)


def parse(svg):
    root = etree.fromstring(svg.encode())
    assert root.tag == f"{SVG}svg"
    return root


def by_class(root, name):
    return [element for element in root.iter() if name in (element.get("class") or "").split()]


def drawn(root):
    """The coordinates of all that is drawn, which must be in the picture."""
    for line in root.iter(f"{SVG}polyline"):
        for point in line.get("points").split():
            yield tuple(map(float, point.split(",")))
    for circle in root.iter(f"{SVG}circle"):
        yield float(circle.get("cx")), float(circle.get("cy"))


def test_every_evaluation_is_a_point_of_each_measure():
    root = parse(learning_curve(made_up_history(evaluations=7)))
    hints = [dot.findtext(f"{SVG}title") for dot in by_class(root, "dot")]
    assert len(hints) == 3 * 7
    assert sum(": MRR " in hint for hint in hints) == 7
    lines = [line.get("points").split() for line in root.iter(f"{SVG}polyline")]
    assert [len(points) for points in lines] == [10, 7, 7, 7]


def test_values_are_those_of_the_history():
    history = made_up_history(evaluations=5)
    hints = {dot.findtext(f"{SVG}title") for dot in by_class(parse(learning_curve(history)), "dot")}
    for entry in history:
        if "eval_mrr" in entry:
            assert f"epoch {entry['epoch']:.0f}: MRR {100 * entry['eval_mrr']:.3g}" in hints


def test_the_best_evaluation_is_marked():
    root = parse(learning_curve(made_up_history()))
    assert len(by_class(root, "ring")) == 3
    assert len(by_class(root, "marked")) == 1
    assert "best: epoch 8, MRR 50.0, accuracy 38.5, one-to-one accuracy 46.5" in "".join(root.itertext())


def test_the_best_may_be_that_by_another_measure():
    history = made_up_history()
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
        made_up_history(1, 1, 1),
        made_up_history(3, 5, 0),
        made_up_history(3, 0, 3),
        made_up_history(400, 900, 400),
        [{"loss": 2.0, "epoch": n} for n in range(5)] + [{"eval_mrr": 0.5, "epoch": n} for n in range(5)],
        [{"loss": 0.0, "epoch": n} for n in range(5)] + [{"eval_mrr": 0.0, "epoch": n} for n in range(5)],
        [{"loss": math.nan, "epoch": 1.0}, {"loss": math.inf, "epoch": 2.0}, {"eval_mrr": 1.0}],
        [{"loss": 4e8, "epoch": 0.001}, {"loss": 3e8, "epoch": 0.002}],
    ],
    ids=["nothing", "one", "no-evaluation", "no-loss", "long", "constant", "zero", "not-finite", "huge"],
)
def test_any_history_can_be_drawn(history):
    root = parse(learning_curve(history))
    width, height = float(root.get("width")), float(root.get("height"))
    assert all(0 <= x <= width and 0 <= y <= height for x, y in drawn(root))
    assert "nan" not in etree.tostring(root, encoding="unicode")


def test_a_run_without_evaluations_says_so():
    assert "the validation split was not evaluated" in learning_curve(made_up_history(evaluations=0))
    assert "no loss was logged" in learning_curve([])


def test_many_losses_are_smoothed_and_few_are_not():
    few, many = (parse(learning_curve(made_up_history(logs=logs, evaluations=0))) for logs in (200, 600))
    assert len(list(few.iter(f"{SVG}polyline"))) == 1
    faint, smooth = many.iter(f"{SVG}polyline")
    assert "faint" in faint.get("class") and "faint" not in smooth.get("class")
    assert roughness(smooth) < roughness(faint) / 3


def roughness(line):
    heights = [float(point.split(",")[1]) for point in line.get("points").split()]
    return sum(abs(after - before) for before, after in pairwise(heights))


def test_a_picture_does_not_grow_with_the_training():
    assert len(learning_curve(made_up_history(logs=50_000, evaluations=0))) < 60_000


def test_who_cannot_see_it_is_told_what_there_is_to_see():
    root = parse(learning_curve(made_up_history()))
    named = root.get("aria-labelledby").split()
    texts = [root.xpath(f"//*[@id='{name}']")[0].text for name in named]
    assert "Learning curve" in texts[0]
    assert "10 evaluations; best: epoch 8, MRR 50.0" in texts[1]


def test_light_and_dark_are_both_there():
    svg = learning_curve(made_up_history())
    light, dark = svg.rsplit("prefers-color-scheme: dark", 1)
    for number in range(4):
        assert f".colour-{number} " in light and f".colour-{number} " in dark


def test_runs_have_a_line_and_a_place_in_the_legend_each():
    runs = {f"run {number}": made_up_history(evaluations=3 + number) for number in range(6)}
    root = parse(compare_curves(runs))
    lines = list(root.iter(f"{SVG}polyline"))
    assert [len(line.get("points").split()) for line in lines] == [3, 4, 5, 6, 7, 8]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert [text.split(":")[0] for text in texts if text.startswith("run ")] == list(runs)
    looks = {(line.getparent().get("class"), line.get("class")) for line in lines}
    assert len(looks) == len(runs)


def test_sixteen_runs_look_different():
    root = parse(compare_curves({str(number): made_up_history() for number in range(16)}))
    looks = {(line.getparent().get("class"), line.get("class")) for line in root.iter(f"{SVG}polyline")}
    assert len(looks) == 16


@pytest.mark.parametrize("measure", ["eval_mrr", "eval_accuracy", "eval_one_to_one_accuracy", "loss"])
def test_runs_can_be_compared_by_any_measure(measure):
    root = parse(compare_curves({"a": made_up_history(), "b": made_up_history(4)}, measure))
    assert len(list(root.iter(f"{SVG}polyline"))) == 2


def test_a_measure_that_there_is_not_is_refused():
    with pytest.raises(ProofmatchError, match="eval_f1"):
        compare_curves({"a": made_up_history()}, "eval_f1")


def test_names_cannot_break_the_picture():
    name = "</text><script>alert(1)</script> & \"more\" 'quotes'"
    root = parse(compare_curves({name: made_up_history()}))
    assert not list(root.iter(f"{SVG}script"))
    assert any(text.text.startswith(name) for text in root.iter(f"{SVG}text"))


def test_a_long_name_leaves_room_for_its_value():
    labels = [text.text for text in parse(compare_curves({"n" * 300: made_up_history()})).iter(f"{SVG}text")]
    assert f"{'n' * 59}…: 50.0" in labels


def test_labels_of_the_legend_do_not_overlap():
    names = ["short", "a name of some length", "x" * 50, "y" * 40, "z", "w" * 60]
    root = parse(compare_curves({name: made_up_history() for name in names}))
    labels = [text for text in root.iter(f"{SVG}text") if text.text.split(":")[0] in names]
    assert len(labels) == len(names)
    for left, right in pairwise(labels):
        same_row = left.get("y") == right.get("y")
        assert not same_row or float(right.get("x")) - float(left.get("x")) > 7 * len(left.text)


def test_runs_without_the_measure_are_in_the_legend_too():
    assert "new: none" in compare_curves({"old": made_up_history(), "new": []})
    assert "the validation split was not evaluated" in compare_curves({"new": []})


@given(st.lists(FINITE, min_size=1))
def test_an_axis_has_all_values_and_a_few_round_ticks(values):
    axis = axis_of_values(values)
    room = (axis.high - axis.low) * 1e-6
    assert axis.low - room <= min(values) and max(values) <= axis.high + room
    ticks = [value for value, _ in axis.ticks()]
    assert 2 <= len(ticks) <= 8
    assert math.isclose(ticks[0], axis.low, abs_tol=room)
    assert math.isclose(ticks[-1], axis.high, abs_tol=room)
    assert round(axis.step / 10 ** math.floor(math.log10(axis.step) + 1e-9)) in (1, 2, 5)
    assert len({label for _, label in axis.ticks()}) == len(ticks)


@pytest.mark.parametrize(
    ("last", "labels"),
    [
        (10, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]),
        (3, ["0", "1", "2", "3"]),
        (400, ["0", "50", "100", "150", "200", "250", "300", "350", "400"]),
        (0.5, ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.35", "0.40", "0.45", "0.50"]),
        (0, ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"]),
    ],
)
def test_epochs_begin_at_zero_and_have_round_numbers(last, labels):
    assert [label for _, label in axis_of_epochs(last).ticks()] == labels


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([5.3, 0.7], ["0", "2", "4", "6"]),
        ([81, 84.2], ["81", "82", "83", "84", "85"]),
        ([3, 3], ["0", "1", "2", "3"]),
        ([5e-324], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([0], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([-2, 5], ["-2", "0", "2", "4", "6"]),
    ],
)
def test_axes_have_zero_unless_values_are_far_from_it(values, labels):
    assert [label for _, label in axis_of_values(values).ticks()] == labels
