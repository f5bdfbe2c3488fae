"""How evenly first choices spread over the proofs: the paper's table of proofs by number of statements."""

import numpy as np


def count_assignments(first_choices: np.ndarray, n_proofs: int) -> dict[int, int]:
    """Count the proofs that are the first choice of 0, 1, 2, … statements, where there are any."""
    counts = np.bincount(np.bincount(first_choices, minlength=n_proofs))
    return {number: int(count) for number, count in enumerate(counts) if count}


def is_one_to_one(first_choices: np.ndarray) -> bool:
    """Tell whether no proof is the first choice of two statements."""
    return len(np.unique(first_choices)) == len(first_choices)


def cumulative_assignments(assignment_counts: dict[int, int]) -> list[tuple[str, int]]:
    """Sum up the counts into the rows of the paper's table: `≥ 20`, `≥ 10`, `≥ 5`, `≥ 2`, `= 1`, `< 1`."""
    rows = [
        (f"≥ {least}", sum(proofs for number, proofs in assignment_counts.items() if number >= least))
        for least in (20, 10, 5, 2)
    ]
    return [*rows, ("= 1", assignment_counts.get(1, 0)), ("< 1", assignment_counts.get(0, 0))]
