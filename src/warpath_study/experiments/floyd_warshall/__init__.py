"""Floyd-Warshall in stages over larger tiles."""
