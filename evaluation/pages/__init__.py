"""The shared parts of all pages: style, charts, and formulas and texts for the browser."""
