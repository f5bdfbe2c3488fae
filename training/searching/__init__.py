"""Search: a statement of one's own → the proofs that fit it best."""
