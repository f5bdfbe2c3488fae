"""Settings of training runs, one commented file each."""
