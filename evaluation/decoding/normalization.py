"""Hubness correction: dual softmax and Sinkhorn normalization over the whole set of candidates.

A hub is a proof that scores high with many statements. Both methods add an offset to each row and each column
of the scores, which reduces hubness. Only the column offsets change the ranking for a statement. With as many
proofs as statements, all one-to-one matchings gain the same amount, so the best matching stays the best.
"""

from collections.abc import Callable
from math import isfinite, log

import numpy as np

from proofmatch.errors import ProofmatchError, check_choice
from proofmatch.progress import Progress

from .scores import OffsetScores, ScoreSource, map_blocks

DUAL_SOFTMAX, SINKHORN = "dual-softmax", "sinkhorn"
METHODS = (DUAL_SOFTMAX, SINKHORN)
DEFAULT_TEMPERATURE = 1.0  # scores of trained matchers are logits
DEFAULT_ROUNDS = 20

_SCORES_PER_BLOCK = 2**21  # smaller than the default: each thread holds two more copies in double precision

Sums = tuple[np.ndarray, np.ndarray]  # a number for each row, a number for each column


def normalized_scores(
    source: ScoreSource,
    method: str,
    temperature: float = DEFAULT_TEMPERATURE,
    rounds: int = DEFAULT_ROUNDS,
) -> ScoreSource:
    """Normalize scores over all statements and all proofs.

    Holds a few blocks of scores in memory and reads all scores once per round.

    Args:
        source: The scores, all finite.
        method: `dual-softmax`: log of the softmax over each row times the softmax over each column.
            `sinkhorn`: alternately normalizes the rows of exp(scores / temperature) to sum 1 and its columns
            to sum statements / proofs, so that both have the same total.
        temperature: Divisor of the scores; a smaller one gives high scores more weight.
        rounds: Number of Sinkhorn iterations.

    Returns:
        Logarithms of the normalized values, computed on demand.
    """
    check_choice("normalize", method, METHODS)
    if not (isfinite(temperature) and temperature > 0):
        raise ProofmatchError(f"the temperature must be a positive number, not {temperature}")
    if rounds < 1:
        raise ProofmatchError(f"normalization needs at least one round, not {rounds}")
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
    # The score of a pair is in both logarithms, hence twice in their sum.
    return OffsetScores(source, temperature / 2, -of_rows, -of_columns)


def _sinkhorn(source: ScoreSource, temperature: float, rounds: int) -> OffsetScores:
    n_rows, n_columns = source.shape
    row_offsets, column_offsets = np.zeros(n_rows), np.zeros(n_columns)

    def normalize(logits: np.ndarray) -> Sums:
        logits += column_offsets
        of_rows = -_log_sum_exp(logits, axis=1)
        # A block has whole rows, so the rows can be normalized and the columns summed in one pass.
        logits += of_rows[:, None]
        return of_rows, _log_sum_exp(logits, axis=0)

    with Progress("normalizing scores", "rounds", total=rounds) as progress:
        for number in range(1, rounds + 1):
            row_offsets, of_columns = _over_blocks(source, temperature, normalize)
            change = log(n_rows / n_columns) - of_columns
            column_offsets = column_offsets + change
            progress.summary = f"offsets changed by at most {np.abs(change).max():.2g} in round {number}"
            progress.advance()
    return OffsetScores(source, temperature, row_offsets, column_offsets)


def _over_blocks(source: ScoreSource, temperature: float, work: Callable[[np.ndarray], Sums]) -> Sums:
    """Combine the sums of all blocks.

    `work` takes the divided scores of some rows, which it may modify, and returns a number for each of these
    rows, and for each column the logarithm of a sum over them.
    """

    def one(_: int, scores: np.ndarray) -> Sums:
        with np.errstate(over="ignore", invalid="ignore"):  # reported as an error below
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
    """Logarithm of a sum of exponentials, scaled by the largest so that none overflows."""
    peaks = values.max(axis=axis, keepdims=True)
    powers = values - peaks
    np.exp(powers, out=powers)
    return np.log(powers.sum(axis=axis)) + peaks.squeeze(axis)
