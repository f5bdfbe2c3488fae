"""Numbers in, card and figures out: renders the dataset card of a release."""
