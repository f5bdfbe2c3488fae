"""Losses on 3×3 matrices worked by hand, the laws they obey, and the objectives made from them."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from proofmatch.training.losses import (
    OBJECTIVES,
    global_loss,
    local_loss,
    loss_of_step,
    noise_contrastive_loss,
    two_sided_loss,
)
from tests.training.trainer.toys import tiny_matcher, toy_texts, toy_trainer

SCORES = [[2.0, 1.0, 0.0], [0.0, 1.0, 3.0], [1.0, 0.0, 1.0]]


def scores(values=None):
    return torch.tensor(values or SCORES, dtype=torch.float64, requires_grad=True)


def log_sum_exp(*values):
    return math.log(sum(map(math.exp, values)))


def test_local_loss_and_its_gradient_by_hand():
    matrix = scores()
    loss = local_loss(matrix)
    loss.backward()
    by_hand = log_sum_exp(2, 1, 0) - 2 + log_sum_exp(0, 1, 3) - 1 + log_sum_exp(1, 0, 1) - 1
    assert loss.item() == pytest.approx(by_hand)
    softmax = [[math.exp(value - log_sum_exp(*row)) for value in row] for row in SCORES]
    gradient = torch.tensor(softmax, dtype=torch.float64) - torch.eye(3)
    assert torch.allclose(matrix.grad, gradient)


def test_two_sided_loss_by_hand():
    columns = log_sum_exp(2, 0, 1) - 2 + log_sum_exp(1, 1, 0) - 1 + log_sum_exp(0, 3, 1) - 1
    rows = log_sum_exp(2, 1, 0) - 2 + log_sum_exp(0, 1, 3) - 1 + log_sum_exp(1, 0, 1) - 1
    assert two_sided_loss(scores()).item() == pytest.approx((rows + columns) / 2)


def test_noise_contrastive_loss_by_hand():
    def gold(score):
        return math.log(1 + math.exp(-(score - math.log(2 / 3))))

    def noise(score):
        return math.log(1 + math.exp(score - math.log(2 / 3)))

    by_hand = gold(2) + gold(1) + gold(1) + sum(map(noise, [1, 0, 0, 3, 1, 0]))
    assert noise_contrastive_loss(scores()).item() == pytest.approx(by_hand)


def test_global_loss_and_its_gradient_by_hand():
    # With the cost: [[2, 2, 1], [1, 1, 4], [2, 1, 1]].
    # The best: 0→1, 1→2, 2→0 with 2 + 4 + 2 = 8; gold: 2 + 1 + 1 = 4.
    matrix = scores()
    loss = global_loss(matrix)
    loss.backward()
    assert loss.item() == pytest.approx(8 - 4)
    assert matrix.grad.tolist() == [[-1, 1, 0], [0, -1, 1], [1, 0, -1]]


def test_global_loss_is_zero_beyond_the_margin():
    def of(gold):
        return global_loss(scores([[gold, 0.0, 0.0], [0.0, gold, 0.0], [0.0, 0.0, gold]])).item()

    assert of(1.0) == 0
    assert of(1.5) == 0
    assert of(0.9) == pytest.approx(3 * 0.1)  # all three wrong is the worst
    assert of(0.0) == pytest.approx(3)


MATRICES = st.integers(1, 5).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(-3, 3).map(float), min_size=n, max_size=n), min_size=n, max_size=n
    )
)


@given(MATRICES)
def test_global_loss_is_that_of_the_most_violating_matching(values):
    matrix = scores(values)
    augmented = matrix.detach() + 1 - torch.eye(len(values))
    rows, columns = linear_sum_assignment(augmented.numpy(), maximize=True)
    expected = max(0.0, augmented.numpy()[rows, columns].sum() - matrix.diagonal().sum().item())
    assert global_loss(matrix).item() == pytest.approx(expected)


@given(MATRICES, st.integers(-5, 5))
def test_a_constant_added_to_all_scores_changes_neither_local_nor_global_loss(values, constant):
    for loss in (local_loss, two_sided_loss, global_loss):
        shifted = loss(scores(values) + constant).item()
        assert shifted == pytest.approx(loss(scores(values)).item(), abs=1e-9)


@given(MATRICES)
def test_losses_do_not_depend_on_the_order_of_pairs(values):
    order = torch.randperm(len(values))
    for loss in (local_loss, two_sided_loss, noise_contrastive_loss, global_loss):
        assert loss(scores(values)[order][:, order]).item() == pytest.approx(loss(scores(values)).item())


def test_hybrid_alternates_and_begins_with_the_local_loss():
    assert [loss_of_step("hybrid", step)[0] for step in range(5)] == [
        "local",
        "global",
        "local",
        "global",
        "local",
    ]


@pytest.mark.parametrize("objective", sorted(OBJECTIVES.keys() - {"hybrid"}))
def test_other_objectives_have_one_loss(objective):
    assert {loss_of_step(objective, step)[0] for step in range(5)} == {objective}


def test_the_trainer_counts_steps_of_the_optimizer(tmp_path, monkeypatch):
    asked = []

    def recorded(objective, step):
        asked.append((objective, step))
        return loss_of_step(objective, step)

    monkeypatch.setattr("proofmatch.training.trainer.trainer.loss_of_step", recorded)
    trainer = toy_trainer(tmp_path, objective="hybrid", num_train_epochs=2, gradient_accumulation_steps=2)
    trainer.train()
    # Three batches an epoch: two for the first step, one for the second.
    assert asked == [("hybrid", step) for step in (0, 0, 1, 2, 2, 3)]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_gradients_are_finite_and_reach_every_parameter(objective):
    for name, loss in OBJECTIVES[objective].items():
        matcher = tiny_matcher()
        loss(matcher(toy_texts(0), toy_texts(1))).backward()
        for parameter_name, parameter in matcher.named_parameters():
            assert parameter.grad is not None, (name, parameter_name)
            assert torch.isfinite(parameter.grad).all(), (name, parameter_name)
        assert matcher.encoder.embedding.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_training_lowers_the_loss(objective, tmp_path):
    def losses():
        with torch.no_grad():
            scores = trainer.matcher(toy_texts(0), toy_texts(1))
            return [loss(scores).item() for loss in OBJECTIVES[objective].values()]

    trainer = toy_trainer(
        tmp_path,
        objective=objective,
        optimizer="adamw",
        learning_rate=0.01,
        per_device_train_batch_size=12,
        num_train_epochs=30,
        eval_epochs=30,
        save_epochs=30,
    )
    before = losses()
    trainer.train()
    assert all(after < 0.7 * first for after, first in zip(losses(), before, strict=True))
