"""Solvers for many sources."""
