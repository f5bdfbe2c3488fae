"""The lexical matcher: features of texts, their vocabulary, the model, and explanations of its scores."""
