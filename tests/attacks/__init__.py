"""Attempts to cheat: one file per door."""
