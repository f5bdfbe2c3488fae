"""Subcommands of the evaluation, one per module: `EXAMPLE`, `add_arguments` and `run`."""
