"""The tutorial on Floyd-Warshall without branches."""
