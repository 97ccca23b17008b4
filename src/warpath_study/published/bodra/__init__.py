"""Bodra: Bellman-Ford, Dijkstra and Floyd-Warshall on a GPU."""
