"""Blocked shortest paths of all pairs, whose cells hold two values: an intermediate vertex and a length.

A path falls into one to the intermediate vertex and one from it, each of which falls apart in the same way: so paths
are read by recursion. A path of a single arc has its own first vertex as the intermediate one, and no path has -1.
Where every arc weighs 1, a length is a number of arcs, as published; weights are the general form. What variants
deliver are distances and predecessors, like all others: a predecessor is the intermediate vertex at which recursion to
the right ends.
"""
