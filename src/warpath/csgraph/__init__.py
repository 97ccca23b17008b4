"""The shortest path functions of scipy.sparse.csgraph, computed and certified by warpath. Change only the import.

>>> from warpath.csgraph import dijkstra
>>> dijkstra([[0, 1.5, 0], [0, 0, 2], [0, 0, 0]], indices=0, device="cpu")
array([0. , 1.5, 3.5])

Signatures, shapes, dtypes, ``inf``, ``-9999`` and errors are those of SciPy. Each function has two more keywords,
``device`` and ``certify``. The function decides which entries are edges and which graphs are errors, as in SciPy. It
does not decide which kernels run. There are these differences:

- Every function returns the distances of SciPy's ``dijkstra``, bit for bit. SciPy's ``floyd_warshall`` and ``johnson``
  add the weights of a path in another order, so their distances may differ in the last digits.
- If there are several shortest paths, the predecessors may belong to another one.
- ``dijkstra`` is exact for negative weights, and raises NegativeCycleError if a source reaches a negative cycle.
- An arc of weight -inf or NaN raises GraphError. SciPy returns distances of -inf or NaN.
- ``floyd_warshall`` takes every sparse format.
"""

from scipy.sparse.csgraph import NegativeCycleError

from .functions import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path

__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]
