"""Attempts to cheat: one file per kind of attack."""
