"""Sources → documents: folders, glob patterns, archives and URLs."""
