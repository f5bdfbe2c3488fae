"""LaTeX sources → XHTML, with LaTeXML behind a wall."""
