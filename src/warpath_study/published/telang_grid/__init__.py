"""Telang: the shortest path over a matrix product."""
