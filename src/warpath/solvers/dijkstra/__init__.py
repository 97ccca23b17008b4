"""Dijkstra's algorithm on the CPU: vertices settle in the order of their distances; weights must not be negative."""
