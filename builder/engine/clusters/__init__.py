"""Builds on several machines: a plan, ranks that take shares of its batches, and a check of their parts."""
