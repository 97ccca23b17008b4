"""Which solver runs: what a graph is like, and what is fastest for it."""
