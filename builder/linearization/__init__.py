"""Formulas → typed tokens, whichever way the source encodes them."""
