"""One page about one prediction file: its scores, where it fails, and every wrong match."""
