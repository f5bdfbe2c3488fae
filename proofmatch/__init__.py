"""Match research-level mathematical statements with their proofs."""

__version__ = "0.1.0"
