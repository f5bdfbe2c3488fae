"""Measurements, not tests: `make bench` runs them all and stores the results."""
