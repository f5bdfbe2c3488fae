"""Similarities that need no training beyond counting words."""
