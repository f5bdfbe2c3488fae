"""One page about one prediction file: its scores, where it fails, and every wrong match."""

DEFAULT_MEGABYTES = 24.0  # mail and code hosts accept files of up to 25
