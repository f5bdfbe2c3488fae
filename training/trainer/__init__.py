"""`MatchingTrainer`, its arguments and callbacks, and the model card it writes."""
