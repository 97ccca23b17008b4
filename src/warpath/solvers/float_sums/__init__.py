"""Distances of floats as sums from the source on, rounded after each addition."""
