"""Max-margin over whole matchings (Section "Hybrid Local and Global Training")."""

import torch

from ...evaluation.decoding.matching import match_globally


def global_loss(scores: torch.Tensor) -> torch.Tensor:
    """Let the gold matching win over every other by a margin of one for each wrong assignment.

    max(0, Δ(Â, I) + score(Â, M) - score(I, M)), where Δ counts wrong assignments and  is the best matching of
    the scores with this cost added, M + (1 - I).

    Args:
        scores: Statements × proofs, the gold proof of each statement on the diagonal, (b, b).

    Returns:
        The loss, a scalar. It is zero exactly when the gold matching wins by the margin.
    """
    # Added to the scores as they are, so that the loss is what was decoded; the search needs no gradient.
    augmented = scores + (1 - torch.eye(len(scores), dtype=scores.dtype, device=scores.device))
    columns = torch.from_numpy(match_globally(augmented.detach().double().cpu().numpy())).to(scores.device)
    rows = torch.arange(len(scores), device=scores.device)
    return (augmented[rows, columns].sum() - scores.diagonal().sum()).clamp(min=0)
