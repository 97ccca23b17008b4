"""The shortest path functions of scipy.sparse.csgraph, computed and certified by warpath. Change only the import.

>>> from warpath.csgraph import dijkstra
>>> dijkstra([[0, 1.5, 0], [0, 0, 2], [0, 0, 0]], indices=0, device="cpu")
array([0. , 1.5, 3.5])

Signatures, shapes, dtypes, ``inf``, ``-9999`` and errors are those of SciPy. Each function has two more keywords,
``device`` and ``certify``. The function decides which entries are edges and which graphs are errors, as in SciPy. It
does not decide which kernels run. The table "What differs from SciPy" is in docs/library.md.
"""

from scipy.sparse.csgraph import NegativeCycleError

from .functions import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path

__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]
