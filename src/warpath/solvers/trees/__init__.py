"""Predecessors and paths, found from distances."""
