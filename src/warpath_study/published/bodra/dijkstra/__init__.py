"""Dijkstra from every vertex over a dense weight matrix; weights must not be negative."""
