"""Bellman-Ford over another layout of the arcs."""
