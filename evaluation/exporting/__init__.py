"""A release in the formats of other retrieval tools."""
