"""What all pages share: their look, formulas and texts as the browser shows them, and charts."""
