"""Variants of a release whose proofs use other names for their variables."""
