"""The matcher: texts → vectors → scores."""
