"""Subcommands of the evaluation, one a module: `EXAMPLE`, `add_arguments` and `run`."""
