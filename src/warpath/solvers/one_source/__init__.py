"""Solvers for one source."""
