"""Subcommands about the published dataset, one a module: `EXAMPLE`, `add_arguments` and `run`."""
