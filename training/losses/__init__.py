"""Losses: functions of a score matrix whose diagonal has the gold pairs. They know nothing of encoders."""

from .local import local_loss, two_sided_loss
from .noise_contrastive import noise_contrastive_loss
from .structured import global_loss

__all__ = ["global_loss", "local_loss", "noise_contrastive_loss", "two_sided_loss"]
