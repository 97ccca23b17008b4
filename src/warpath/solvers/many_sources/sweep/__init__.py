"""Contraction hierarchy: vertices eliminated one by one, arcs put in for the paths through them; then two passes."""
