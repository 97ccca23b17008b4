"""One source, weights of at least 0: the graph in parts, each of which settles in the shared memory of a block."""
