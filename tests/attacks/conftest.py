"""Fixtures for attacks: tiny models of all kinds."""

from tests.training.conftest import best_model, joint_model, lexical_model, own_cache, tiny_model  # noqa: F401 - fixtures
