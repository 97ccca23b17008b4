"""Graphs from objects of other libraries: matrices, frames, NetworkX and igraph graphs."""
