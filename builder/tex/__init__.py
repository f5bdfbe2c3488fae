"""Text with formulas in TeX, as people write it and as releases have it to read."""
