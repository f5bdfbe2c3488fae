"""Prices raised from pair to pair until no row would pay more: longest paths, after Bellman and Ford."""

import numpy as np

from .candidates import Candidates
from .exchange import on_cycles
from .largest import pairs_of_rows
from .rounding import rounding_of

_PASSES = 16  # over all rows at once, before long paths are supposed and rows come one by one


class Raising:
    """Prices of columns that rise to what rows offer for them.

    Attributes:
        prices: The price of each column.
        own: The score of each row with its column.
        causes: The pair that a column's price was last raised for, as its position among the candidates; -1
            for none.
    """

    def __init__(
        self, candidates: Candidates, columns: np.ndarray, prices: np.ndarray, roundings: float
    ) -> None:
        self.candidates, self.columns, self.prices, self.roundings = candidates, columns, prices, roundings
        own = candidates.columns == columns[candidates.rows]
        self.own = candidates.scores[own].astype(np.float64)
        self.owner = np.full(candidates.n_columns, -1, dtype=np.int64)
        self.owner[columns] = np.arange(candidates.n_rows)
        self.causes = np.full(candidates.n_columns, -1, dtype=np.int64)

    def raise_all(self) -> bool:
        """Raise prices until no row offers more; return whether that has an end."""
        rows = np.arange(self.candidates.n_rows)
        for number in range(self.candidates.n_columns + 1):
            rows = self._offer(rows) if number < _PASSES else self._sweep(rows, number % 2 == 0)
            if not len(rows):
                return True
            # Where rises have causes in a circle, more of them come to no end. Seldom, to save time.
            if (
                number >= 2 * _PASSES
                and number & (number - 1) == 0
                and on_cycles(self.candidates, self.columns, self.causes).any()
            ):
                return False
        return False

    def _offer(self, rows: np.ndarray) -> np.ndarray:
        """Let rows offer what their columns are worth to them; return those whose own columns were raised."""
        pairs, lengths = pairs_of_rows(self.candidates.starts, rows)
        scores = self.candidates.scores[pairs]
        row_prices = np.repeat(self.own[rows] - self.prices[self.columns[rows]], lengths)
        raised = self._raise(pairs, scores, row_prices)
        changed = np.zeros(self.candidates.n_columns, dtype=bool)
        changed[raised] = True
        owners = self.owner[changed]
        return np.sort(owners[owners >= 0])

    def _sweep(self, rows: np.ndarray, upwards: bool) -> np.ndarray:
        """Let single rows offer in the order of their columns' prices; return those whose turn was over.

        A row that is raised by one before it still has its turn, so that a long path along which prices rise,
        or fall, takes one sweep instead of as many passes over all as it has columns.
        """
        starts = self.candidates.starts
        order = np.argsort(
            self.prices[self.columns] if upwards else -self.prices[self.columns], kind="stable"
        )
        turns = np.empty(len(order), dtype=np.int64)
        turns[order] = np.arange(len(order))
        waiting = np.zeros(len(order), dtype=bool)
        waiting[turns[rows]] = True
        turn = int(waiting.argmax())
        while waiting[turn]:
            waiting[turn] = False
            row = order[turn]
            first, after = int(starts[row]), int(starts[row + 1])
            row_price = self.own[row] - self.prices[self.columns[row]]
            raised = self._raise(np.arange(first, after), self.candidates.scores[first:after], row_price)
            owners = self.owner[raised]
            waiting[turns[owners[owners >= 0]]] = True
            turn += int(waiting[turn:].argmax())
        return np.sort(order[waiting])

    def _raise(self, pairs: np.ndarray, scores: np.ndarray, row_prices: np.ndarray | float) -> np.ndarray:
        """Raise the prices of the pairs' columns to what is offered, and return the columns."""
        offers, targets = scores - row_prices, self.candidates.columns[pairs]
        more = np.flatnonzero(offers > self.prices[targets])
        row_prices = row_prices[more] if isinstance(row_prices, np.ndarray) else row_prices
        targets, offers = targets[more], offers[more]
        allowed = rounding_of(scores[more], row_prices, self.prices[targets], self.roundings)
        better = offers > self.prices[targets] + allowed
        pairs, targets, offers = pairs[more[better]], targets[better], offers[better]
        np.maximum.at(self.prices, targets, offers)
        highest = offers == self.prices[targets]
        self.causes[targets[highest]] = pairs[highest]
        return targets
