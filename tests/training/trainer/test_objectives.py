"""Objectives: which loss each step has, and that training lowers it."""

import pytest
import torch

from proofmatch.training.losses import OBJECTIVES, loss_of_step
from tests.training.trainer.toys import tiny_matcher, toy_texts, toy_trainer


def test_hybrid_alternates_and_begins_with_the_local_loss():
    assert [loss_of_step("hybrid", step)[0] for step in range(5)] == [
        "local",
        "global",
        "local",
        "global",
        "local",
    ]


@pytest.mark.parametrize("objective", sorted(OBJECTIVES.keys() - {"hybrid"}))
def test_the_others_have_one_loss(objective):
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
