"""Prediction files: reading them strictly, writing them."""
