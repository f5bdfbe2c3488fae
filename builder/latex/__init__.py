"""LaTeX sources → XHTML, with LaTeXML in a sandbox."""
