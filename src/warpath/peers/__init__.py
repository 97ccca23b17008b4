"""Other solvers of shortest paths, to compare with: one module a peer, found by its name; see ``contract``."""
