"""Blocked shortest paths of all pairs, whose cells hold two values: an intermediate vertex and a length.

The intermediate vertex cuts a path in two, and each part is cut in the same way, so that paths are read by recursion. A
path of a single arc has its own first vertex as the intermediate one; -1 says that there is no path. As published,
every arc weighs 1 and a length is a number of arcs; weights are the general form. The variants deliver distances and
predecessors, like all others: the predecessor is the intermediate vertex at which recursion into the second part ends.
"""
