"""Training: `MatchingTrainer` and what it is made of."""
