"""Normalisation over the whole set of candidates: what everybody likes counts for less.

Both methods add an offset to each row and each column of the scores. So a statement's ranking changes through
the columns' offsets alone, and with as many proofs as statements all one-to-one matchings gain the same: the
best of them stays the best.
"""

from collections.abc import Callable
from math import isfinite, log

import numpy as np

from proofmatch.errors import ProofmatchError
from proofmatch.progress import Progress

from .blocks import map_blocks
from .offsets import OffsetScores
from .sources import ScoreSource

DUAL_SOFTMAX, SINKHORN = "dual-softmax", "sinkhorn"
METHODS = (DUAL_SOFTMAX, SINKHORN)
DEFAULT_TEMPERATURE = 1.0  # scores of trained matchers are logits
DEFAULT_ROUNDS = 20

_SCORES_PER_BLOCK = 2**21  # fewer than usual: a thread has two more copies of them, in double precision

Sums = tuple[np.ndarray, np.ndarray]  # something for each row, something for each column


def normalized_scores(
    source: ScoreSource,
    method: str,
    temperature: float = DEFAULT_TEMPERATURE,
    rounds: int = DEFAULT_ROUNDS,
) -> ScoreSource:
    """Normalise scores over all statements and all proofs.

    Memory for a few blocks of scores is all it takes, and every round reads all scores once.

    Args:
        source: The scores, all finite.
        method: `dual-softmax` is the logarithm of the softmax of each row times the softmax of each column.
            `sinkhorn` normalises the rows of exp(scores / temperature) and then its columns, again and again:
            rows to a sum of 1 and columns to one of statements / proofs, so that both add up to the same.
        temperature: What scores are divided by; the smaller, the more the greatest ones count.
        rounds: How often Sinkhorn's method normalises rows and columns.

    Returns:
        The logarithms of what is normalised, computed when asked for.
    """
    if method not in METHODS:
        raise ProofmatchError(f"normalize must be one of {', '.join(METHODS)}, not {method!r}")
    if not (isfinite(temperature) and temperature > 0):
        raise ProofmatchError(f"the temperature must be a positive number, not {temperature}")
    if rounds < 1:
        raise ProofmatchError(f"at least one round of normalisation is needed, not {rounds}")
    if min(source.shape) == 0:
        return OffsetScores(source, temperature, *map(np.zeros, source.shape))
    if method == DUAL_SOFTMAX:
        return _dual_softmax(source, temperature)
    return _sinkhorn(source, temperature, rounds)


def _dual_softmax(source: ScoreSource, temperature: float) -> OffsetScores:
    def log_sums(logits: np.ndarray) -> Sums:
        return _log_sum_exp(logits, axis=1), _log_sum_exp(logits, axis=0)

    with Progress("normalizing scores", "rounds", total=1) as progress:
        of_rows, of_columns = _over_blocks(source, temperature, log_sums)
        progress.summary = "dual softmax"
        progress.advance()
    # A pair's score is in both logarithms, hence twice in their sum.
    return OffsetScores(source, temperature / 2, -of_rows, -of_columns)


def _sinkhorn(source: ScoreSource, temperature: float, rounds: int) -> OffsetScores:
    n_rows, n_columns = source.shape
    row_offsets, column_offsets = np.zeros(n_rows), np.zeros(n_columns)

    def normalize(logits: np.ndarray) -> Sums:
        logits += column_offsets
        of_rows = -_log_sum_exp(logits, axis=1)
        # A row has all its scores in one block, so that its columns can be added up in the same round.
        logits += of_rows[:, None]
        return of_rows, _log_sum_exp(logits, axis=0)

    with Progress("normalizing scores", "rounds", total=rounds) as progress:
        for number in range(1, rounds + 1):
            row_offsets, of_columns = _over_blocks(source, temperature, normalize)
            change = log(n_rows / n_columns) - of_columns
            column_offsets = column_offsets + change
            progress.summary = f"offsets changed by {np.abs(change).max():.2g} at most in round {number}"
            progress.advance()
    return OffsetScores(source, temperature, row_offsets, column_offsets)


def _over_blocks(source: ScoreSource, temperature: float, work: Callable[[np.ndarray], Sums]) -> Sums:
    """Put together what comes out of every block.

    Args:
        source: The scores.
        temperature: What they are divided by.
        work: Takes the divided scores of some rows, and may write to them. Gives a number for each of these
            rows, and the logarithm of a sum over them for each column.
    """

    def one(_: int, scores: np.ndarray) -> Sums:
        with np.errstate(over="ignore", invalid="ignore"):  # told in a sentence instead
            found = work(np.divide(scores, temperature, dtype=np.float64))
        if not all(np.isfinite(sums).all() for sums in found):
            raise ProofmatchError(
                f"scores divided by the temperature {temperature:g} are infinite: give a greater one"
            )
        return found

    rows, columns = [], np.full(source.shape[1], -np.inf)
    for of_rows, of_columns in map_blocks(source, one, _SCORES_PER_BLOCK):
        rows.append(of_rows)
        np.logaddexp(columns, of_columns, out=columns)
    return np.concatenate(rows), columns


def _log_sum_exp(values: np.ndarray, axis: int) -> np.ndarray:
    """The logarithm of sums of exponentials, none of which overflows and not all of which vanish."""
    peaks = values.max(axis=axis, keepdims=True)
    powers = values - peaks
    np.exp(powers, out=powers)
    return np.log(powers.sum(axis=axis)) + peaks.squeeze(axis)
