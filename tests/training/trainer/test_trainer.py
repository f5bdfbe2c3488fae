"""The trainer: what a step does to the weights, and when there are logs, checkpoints and evaluations."""

import json

import pytest
import torch

from proofmatch.errors import ProofmatchError
from proofmatch.training import ProofMatcher
from proofmatch.training.losses import local_loss
from proofmatch.training.pairs import collate
from tests.training.trainer.toys import tiny_matcher, toy_pairs, toy_trainer

RATE = 0.1


def step_by_hand(matcher, optimizer, batches) -> None:
    """One step along the mean gradient of some batches of four pairs."""
    pairs = toy_pairs()
    for batch in batches:
        texts = collate([pairs[number] for number in batch])
        (local_loss(matcher(texts["statements"], texts["proofs"])) / (4 * len(batches))).backward()
    optimizer.step()
    optimizer.zero_grad()


def epoch_of(trainer, epoch):
    trainer.batches.epoch = epoch
    return list(trainer.batches)


@pytest.mark.parametrize("accumulation", [1, 2, 3])
def test_steps_follow_the_mean_gradient_of_their_batches(tmp_path, accumulation):
    trainer = toy_trainer(
        tmp_path,
        num_train_epochs=2,
        learning_rate=RATE,
        max_grad_norm=0,
        gradient_accumulation_steps=accumulation,
        load_best_model_at_end=False,
    )
    by_hand = tiny_matcher().train()
    optimizer = torch.optim.ASGD(by_hand.parameters(), lr=RATE)
    for epoch in range(2):
        batches = epoch_of(trainer, epoch)
        for start in range(0, len(batches), accumulation):
            step_by_hand(by_hand, optimizer, batches[start : start + accumulation])
    trainer.train()
    for (name, ours), theirs in zip(trainer.matcher.named_parameters(), by_hand.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6), name


@pytest.mark.parametrize("accumulation", [1, 2])
def test_epochs_count_in_steps_of_the_optimizer(tmp_path, accumulation):
    trainer = toy_trainer(
        tmp_path,
        num_train_epochs=4,
        eval_epochs=2,
        save_epochs=1,
        log_epochs=1,
        save_total_limit=None,
        learning_rate=RATE,
        learning_rate_decay=0.5,
        gradient_accumulation_steps=accumulation,
    )
    trainer.train()
    logged = json.loads((tmp_path / "history.json").read_text())
    assert [entry["epoch"] for entry in logged if "loss" in entry] == [1, 2, 3, 4]
    assert [entry["epoch"] for entry in logged if "eval_mrr" in entry] == [2, 4]
    rates = [entry["learning_rate"] for entry in logged if "loss" in entry]
    assert rates == pytest.approx([RATE, RATE / 2, RATE / 4, RATE / 8])
    steps = {1: 3, 2: 2}[accumulation]
    assert {path.name for path in tmp_path.glob("checkpoint-*")} == {
        f"checkpoint-{steps * epoch}" for epoch in (1, 2, 3, 4)
    }


def test_the_similarity_has_a_rate_of_its_own(tmp_path):
    trainer = toy_trainer(tmp_path, num_train_epochs=1, learning_rate=RATE, similarity_rate=0)
    before = trainer.matcher.weight.detach().clone()
    words = trainer.matcher.encoder.embedding.weight.detach().clone()
    trainer.train()
    assert torch.equal(trainer.matcher.weight, before)
    assert not torch.equal(trainer.matcher.encoder.embedding.weight, words)


@pytest.mark.parametrize("chunk_size", [None, 3])
def test_half_precision_trains_nearly_the_same_weights(tmp_path, chunk_size):
    def train(name, **settings):
        trainer = toy_trainer(
            tmp_path / name,
            num_train_epochs=2,
            learning_rate=RATE,
            chunk_size=chunk_size,
            load_best_model_at_end=False,
            use_cpu=True,
            **settings,
        )
        trainer.train()
        return trainer.matcher

    full, half = train("full"), train("half", bf16=True)
    assert half.weight.dtype == torch.float32
    assert not torch.equal(full.weight, half.weight)
    for (name, wanted), (_, found) in zip(full.named_parameters(), half.named_parameters(), strict=True):
        assert torch.allclose(wanted, found, atol=2e-3), name


@pytest.mark.parametrize("objective", ["local", "global"])
def test_scores_that_are_nan_end_the_training_in_one_sentence(tmp_path, objective):
    trainer = toy_trainer(
        tmp_path, objective=objective, num_train_epochs=3, learning_rate=1e30, max_grad_norm=0
    )
    with pytest.raises(ProofmatchError, match=rf"NaN or infinite at step 2 \({objective} loss\)"):
        trainer.train()


def test_one_pair_has_no_negatives(tmp_path):
    with pytest.raises(ProofmatchError, match="a batch needs at least two pairs"):
        toy_trainer(tmp_path, per_device_train_batch_size=1)


def test_batches_are_no_larger_than_there_are_pairs(tmp_path):
    trainer = toy_trainer(tmp_path, per_device_train_batch_size=1000)
    assert trainer.batches.size == len(toy_pairs())


def test_the_best_weights_are_kept_and_not_the_last(tmp_path, monkeypatch):
    scores = iter([0.3, 0.9, 0.5, 0.1])
    seen = []

    def made_up(matcher, _):
        seen.append({name: value.clone() for name, value in matcher.state_dict().items()})
        return {"mrr": next(scores), "accuracy": 0.0, "one_to_one_accuracy": 0.0}

    monkeypatch.setattr("proofmatch.training.trainer.trainer.validate", made_up)
    trainer = toy_trainer(tmp_path, num_train_epochs=4, eval_epochs=1, learning_rate=RATE)
    trainer.train()
    trainer.save_model()
    kept = ProofMatcher.from_pretrained(tmp_path).state_dict()
    same = [all(torch.equal(kept[name], weights[name]) for name in kept) for weights in seen]
    assert same == [False, True, False, False]
    assert not list(tmp_path.glob("*.bin"))
