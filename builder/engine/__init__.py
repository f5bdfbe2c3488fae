"""How the work is cut, shared out, and resumed."""
