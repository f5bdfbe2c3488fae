"""Which pairs make up a batch, for any number of pairs, processes and epochs; pairs with renamed proofs."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofmatch.builder.release.release import open_release
from proofmatch.errors import ProofmatchError
from proofmatch.training.pairs import SAMPLINGS, Batches, RenamedPairs, read_pairs
from proofmatch.training.run import start_matcher
from proofmatch.training.settings import load_settings
from proofmatch.training.texts import PROOF, STATEMENT

samplings = st.sampled_from(SAMPLINGS)
seeds = st.integers(0, 2**32)
epochs = st.integers(0, 500)


@st.composite
def sizes(draw):
    """Pairs, processes, and a batch that has room for at least one pair of each process."""
    world = draw(st.integers(1, 4))
    return draw(st.integers(world, 60)), draw(st.integers(world, 80)), world


def batches_of(n_pairs, size, sampling, seed=0, epoch=0, rank=0, world=1):
    batches = Batches(n_pairs, size, sampling, seed, rank, world)
    batches.epoch = epoch
    return list(batches)


@given(sizes(), samplings, seeds, epochs)
def test_no_pair_is_twice_in_a_batch_and_every_batch_has_the_same_size(sizes, sampling, seed, epoch):
    n_pairs, size, world = sizes
    batches = Batches(n_pairs, size, sampling, seed, world=world)
    assert 1 <= batches.size <= min(size, n_pairs)
    assert batches.size % world == 0
    drawn = batches_of(n_pairs, batches.size, sampling, seed, epoch)
    assert len(drawn) == len(Batches(n_pairs, batches.size)) >= 1
    for batch in drawn:
        assert len(set(batch)) == len(batch) == batches.size
        assert set(batch) <= set(range(n_pairs))


@given(sizes(), seeds, epochs)
def test_an_epoch_has_no_pair_twice_and_leaves_out_less_than_a_batch(sizes, seed, epoch):
    n_pairs, size, _ = sizes
    drawn = list(chain.from_iterable(batches_of(n_pairs, size, "epochs", seed, epoch)))
    assert len(set(drawn)) == len(drawn)
    assert n_pairs - len(drawn) < min(size, n_pairs)


@given(sizes(), samplings, seeds, epochs)
def test_batches_depend_on_seed_and_epoch_only(sizes, sampling, seed, epoch):
    n_pairs, size, _ = sizes
    batches = Batches(n_pairs, size, sampling, seed)
    list(batches)  # an epoch before leaves no trace
    batches.epoch = epoch
    assert list(batches) == list(batches) == batches_of(n_pairs, size, sampling, seed, epoch)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@given(seed=seeds, epoch=epochs, other=epochs)
def test_another_epoch_and_another_seed_have_other_batches(sampling, seed, epoch, other):
    here = batches_of(100, 10, sampling, seed, epoch)
    assert (here == batches_of(100, 10, sampling, seed, other)) == (epoch == other)
    assert here != batches_of(100, 10, sampling, seed + 1, epoch)


@given(sizes(), samplings, seeds, epochs)
def test_the_shares_of_all_processes_are_the_batches_of_one(sizes, sampling, seed, epoch):
    n_pairs, size, world = sizes
    shares = [batches_of(n_pairs, size, sampling, seed, epoch, rank, world) for rank in range(world)]
    together = [list(chain.from_iterable(parts)) for parts in zip(*shares, strict=True)]
    alone = batches_of(n_pairs, min(size, n_pairs) // world * world, sampling, seed, epoch)
    assert together == alone


def test_independent_batches_repeat_pairs_within_an_epoch():
    drawn = list(chain.from_iterable(batches_of(100, 10, "independent")))
    assert len(set(drawn)) < len(drawn) == 100


def test_independent_batches_are_uniform():
    counts = [0] * 12
    for epoch in range(600):
        for batch in batches_of(12, 4, "independent", epoch=epoch):
            for pair in batch:
                counts[pair] += 1
    assert max(abs(count - 600) for count in counts) < 100  # five standard deviations


@pytest.fixture
def renamed(release):
    """Pairs of the training split as words, all of whose proofs get new names."""
    opened = open_release(release)
    _, matcher = start_matcher(opened, load_settings("fast", ["rank=0", "blind_groups=[]"]), "both", False, 0)
    pairs = read_pairs(opened, "train", matcher.reader(None), is_for_training=True)
    return opened, pairs, RenamedPairs(pairs, 1.0, "full", 0)


def features(bag):
    return dict(zip(bag["feature"].tolist(), bag["frequency"].tolist(), strict=True))


def test_renaming_depends_on_seed_epoch_and_pair_only(renamed):
    _, pairs, some = renamed
    alone, together = some[3], some.__getitems__([5, 3, 1])[1]
    assert np.array_equal(alone[PROOF], together[PROOF])
    again = RenamedPairs(pairs, 1.0, "full", 0)
    assert np.array_equal(again[3][PROOF], alone[PROOF])
    again.epoch = 1
    assert not np.array_equal(again[3][PROOF], alone[PROOF])
    assert not np.array_equal(RenamedPairs(pairs, 1.0, "full", 1)[3][PROOF], alone[PROOF])


def test_statements_keep_their_names_and_some_proofs_too(renamed):
    _, pairs, _ = renamed
    half = RenamedPairs(pairs, 0.5, "full", 0)
    rows = half.__getitems__(list(range(len(half))))
    kept = sum(np.array_equal(row[PROOF], pairs[number][PROOF]) for number, row in enumerate(rows))
    assert 0.3 * len(half) < kept < 0.7 * len(half)
    assert all(np.array_equal(row[STATEMENT], pairs[number][STATEMENT]) for number, row in enumerate(rows))
    nothing = RenamedPairs(pairs, 0.0, "full", 0)
    assert np.array_equal(nothing[0][PROOF], pairs[0][PROOF])


def test_frequencies_of_renamed_proofs_exclude_their_own_pair(renamed):
    _, pairs, some = renamed
    # Words are not renamed, so their frequencies must be those of the proof as it is.
    for number in range(10):
        as_it_is, new = features(pairs[number][PROOF]), features(some[number][PROOF])
        common = as_it_is.keys() & new.keys()
        assert common
        assert {key: as_it_is[key] for key in common} == {key: new[key] for key in common}
        assert min(new.values()) >= 0


def test_only_typed_tokens_can_be_renamed():
    with pytest.raises(ProofmatchError, match="rename_share to 0"):
        RenamedPairs([{STATEMENT: [1], PROOF: [2]}], 0.5, "full", 0)
