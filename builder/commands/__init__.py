"""The builder's subcommands, one per module: `EXAMPLE`, `add_arguments` and `run`."""
