"""What is kept: each filter answers with a reason to drop, or with None."""
