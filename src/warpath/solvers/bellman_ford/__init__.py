"""The algorithm of Bellman and Ford on the CPU: rounds that relax arcs, until no distance falls."""
