"""Sources → documents: folders, globs, archives and URLs, all read the same way."""

from .sources import read_sources

__all__ = ["read_sources"]
