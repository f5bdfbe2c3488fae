"""Search: a statement in TeX → the proofs with the highest scores, and why."""
