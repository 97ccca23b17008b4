"""scipy.sparse.csgraph's shortest paths, computed and certified by warpath: change the import, keep the code.

>>> from warpath.csgraph import dijkstra
>>> dijkstra([[0, 1.5, 0], [0, 0, 2], [0, 0, 0]], indices=0, device="host")
array([0. , 1.5, 3.5])

Signatures, shapes, dtypes, ``inf``, ``-9999`` and errors are scipy's. ``device`` ("auto", "cuda", "cuda:INDEX", "host")
and ``certify`` are keywords of their own. The names choose what counts as an edge and as an error, as they do in scipy;
which kernels run is warpath's choice. What differs from scipy:

- Weights must become whole numbers of 31 bits when multiplied by a power of two or of ten, and so must the distances;
  GraphError otherwise. The distances are the floats nearest to the exact sums: for decimal weights such as 0.1, scipy's
  may differ from them in the last digits.
- Of several shortest paths, the predecessors may show another one.
- ``dijkstra`` is exact for negative weights, too, and raises NegativeCycleError for negative cycles it reaches.
- An arc of -inf or NaN, from which scipy gives distances of -inf or NaN, is refused with GraphError.
- ``floyd_warshall`` takes every sparse format.
"""

from scipy.sparse.csgraph import NegativeCycleError

from .functions import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path

__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]
