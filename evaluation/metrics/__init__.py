"""Ranks of the right proofs → scores, with intervals."""
