"""Floyd-Warshall for all pairs, from two launches a vertex to tiles in shared memory."""
