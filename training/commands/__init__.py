"""Subcommands around models."""
