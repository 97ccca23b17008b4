"""The shortest path functions of scipy.sparse.csgraph, computed and certified by warpath. Change only the import.

>>> from warpath.csgraph import dijkstra
>>> dijkstra([[0, 1.5, 0], [0, 0, 2], [0, 0, 0]], indices=0, device="host")
array([0. , 1.5, 3.5])

Signatures, shapes, dtypes, ``inf``, ``-9999`` and errors are those of SciPy. Each function has two more keywords,
``device`` and ``certify``. The function decides which entries are edges and which graphs are errors, as in SciPy. It
does not decide which kernels run. There are these differences:

- Multiplied by a power of two or of ten, weights and distances must be whole numbers of 31 bits. Otherwise, the call
  raises GraphError. Distances are the floats nearest to the exact sums. With decimal weights such as 0.1, SciPy's
  distances may differ from them in the last digits.
- If there are several shortest paths, the predecessors may belong to another one.
- ``dijkstra`` is exact for negative weights, and raises NegativeCycleError if a source reaches a negative cycle.
- An arc of weight -inf or NaN raises GraphError. SciPy returns distances of -inf or NaN.
- ``floyd_warshall`` takes every sparse format.
"""

from scipy.sparse.csgraph import NegativeCycleError

from .functions import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path

__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]
