"""A release on the Hugging Face Hub."""

from .push import push_release
from .report import PushReport

__all__ = ["PushReport", "push_release"]
