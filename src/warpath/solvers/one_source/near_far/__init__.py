"""Near-far: vertices nearer than a threshold are relaxed until none is left, then the threshold rises.

Distances that fall below the threshold are near, the others wait. So a vertex is relaxed once or a few times, where
label correcting without a threshold would relax it over and over.

Source: A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source
Shortest Paths", IPDPS 2014; after U. Meyer and P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
Journal of Algorithms 49, 2003.
"""
