"""Floyd-Warshall for all pairs over dense matrices: vertices 0, 1, ... are allowed as intermediate vertices in turn.

A predecessor is the last vertex before the head on the path, which a relaxation through k copies from row k. The
published code stores k itself, and no path can be read from that.
"""
