"""The joint matcher: what texts share, and what a self-attentive encoder sees beyond."""
