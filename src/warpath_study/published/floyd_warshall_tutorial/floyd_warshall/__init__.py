"""Floyd-Warshall without branches."""
