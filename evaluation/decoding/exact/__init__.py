"""Exact decoding: the best one-to-one matching over all pairs, with a certificate of optimality."""
