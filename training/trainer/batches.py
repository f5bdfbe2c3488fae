"""Which pairs make up each minibatch."""

from collections.abc import Iterator

import numpy as np

SAMPLINGS = ("independent", "epochs")


class Batches:
    """Numbers of pairs, batch by batch; the batches of an epoch follow from the seed and the epoch alone.

    So an interrupted epoch goes on with the batches it would have had, and processes that share a batch agree
    on it without a word.

    Args:
        n_pairs: Pairs of the training split.
        size: Pairs of a batch, of all processes together.
        sampling: `independent` draws every batch from all pairs, without replacement within the batch (the
            paper's Section "Local Training"); `epochs` goes through all pairs before one comes again.
        seed: Of the draws.
        rank: Which of the processes this is.
        world: How many processes share a batch.

    Attributes:
        epoch: Which epoch the next iteration is.
    """

    def __init__(
        self,
        n_pairs: int,
        size: int,
        sampling: str = "independent",
        seed: int = 0,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self.n_pairs = n_pairs
        self.size = min(size, n_pairs) // world * world
        self.sampling = sampling
        self.seed = seed
        self.rank, self.world = rank, world
        self.epoch = 0

    def __len__(self) -> int:
        return self.n_pairs // self.size

    def __iter__(self) -> Iterator[list[int]]:
        draw = np.random.default_rng([self.seed, self.epoch])
        order = draw.permutation(self.n_pairs)
        for number in range(len(self)):
            if self.sampling == "independent":
                batch = draw.choice(self.n_pairs, self.size, replace=False)
            else:
                batch = order[number * self.size : (number + 1) * self.size]
            share = self.size // self.world
            yield batch[self.rank * share : (self.rank + 1) * share].tolist()
