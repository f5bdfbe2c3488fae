"""Formulas → typed tokens, from presentation or content MathML."""
