"""Random matching problems, and their solutions by SciPy's dense solver."""

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

KINDS = ("normal", "small integers", "constant", "sum", "low rank", "mostly zero")


@st.composite
def score_matrices(draw, *, square: bool = False, most: int = 14):
    """Matrices of all shapes, empty ones included, many with ties."""
    n_rows = draw(st.integers(0, most))
    n_columns = n_rows if square else draw(st.integers(0, most))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    return make(draw(st.sampled_from(KINDS)), n_rows, n_columns, generator).astype(
        draw(st.sampled_from(["f4", "f8"]))
    )


def make(kind: str, n_rows: int, n_columns: int, generator: np.random.Generator) -> np.ndarray:
    shape = n_rows, n_columns
    if kind == "normal":
        return generator.standard_normal(shape)
    if kind == "small integers":
        return generator.integers(-1, 3, shape).astype(float)
    if kind == "constant":
        return np.full(shape, 0.3)
    if kind == "sum":
        return generator.random((n_rows, 1)) + generator.random((1, n_columns))
    if kind == "low rank":
        return generator.standard_normal((n_rows, 2)) @ generator.standard_normal((2, n_columns))
    return np.where(generator.random(shape) < 0.2, generator.random(shape), 0.0)


def best_total(scores: np.ndarray) -> float:
    """The greatest total of a complete matching."""
    scores = scores.astype(np.float64)
    return float(scores[linear_sum_assignment(scores, maximize=True)].sum())


def maximum_and_best(scores: np.ndarray, allowed: np.ndarray) -> tuple[int, float]:
    """Size and total of the best maximum matching over allowed pairs, by a penalty on the others."""
    scores = scores.astype(np.float64)
    penalty = 1e3 * (1 + np.abs(scores).max(initial=0)) * (1 + min(scores.shape))
    pairs = linear_sum_assignment(np.where(allowed, scores, -penalty), maximize=True)
    return int(allowed[pairs].sum()), float(scores[pairs][allowed[pairs]].sum())


def total_of(scores: np.ndarray, columns: np.ndarray) -> float:
    """The total of a matching, which must be one-to-one."""
    matched = np.flatnonzero(columns >= 0)
    assert len(set(columns[matched])) == len(matched)
    return float(scores.astype(np.float64)[matched, columns[matched]].sum())
