"""The published text files → release folder."""
