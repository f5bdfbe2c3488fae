"""Texts of different lengths → sub-batches with little padding."""

from collections.abc import Sequence

import numpy as np
import torch


def in_batches_of_similar_length(lengths: Sequence[int], words_at_once: int) -> list[np.ndarray]:
    """Cut texts, ordered by length, into groups.

    Args:
        lengths: Of each text.
        words_at_once: The most words of a group, padding included; a longer text is a group of its own.

    Returns:
        The numbers of the texts of each group, the longest texts first: if memory does not suffice, it shows
        at once.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    groups, start = [], 0
    while start < len(order):
        size = max(1, words_at_once // max(1, lengths[order[start]]))
        groups.append(order[start : start + size])
        start += size
    return groups


def padded(texts: Sequence[np.ndarray], padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Fill up texts to the length of the longest.

    Returns:
        The words, and which of them are real, both (texts, length).
    """
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    filled = np.full((len(texts), max(1, lengths.max(initial=0))), padding, dtype=np.int64)
    for row, text in zip(filled, texts, strict=True):
        row[: len(text)] = text
    return torch.from_numpy(filled), torch.from_numpy(np.arange(filled.shape[1]) < lengths[:, None])
