"""The local search page: paste a statement, see ranked proofs with the reasons highlighted."""
