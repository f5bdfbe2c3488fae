"""The builder's subcommands, one a module: `EXAMPLE`, `add_arguments` and `run`."""
