"""A small local page: paste a statement, see ranked proofs with the reasons highlighted."""
