"""Types for annotations: what the functions take as graphs, vertices and arrays, and the arrays of their answers."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as _numpy
    from narwhals.typing import IntoDataFrame as _IntoDataFrame
    from numpy.typing import ArrayLike as _OfNumPy

    from .graphs.csr import Graph as _Graph


class _SupportsArray(Protocol):
    """An array of NumPy."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class _OnDevice(Protocol):
    """An array of CuPy, or of another library on a GPU."""

    @property
    def __cuda_array_interface__(self) -> Any: ...


class _Exchanged(Protocol):
    """An array of PyTorch, JAX and others."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


class _Sparse(Protocol):
    """A sparse matrix of SciPy or CuPy."""

    def tocoo(self, *args: Any, **kwargs: Any) -> Any: ...


class _NetworkX(Protocol):
    def adjacency(self) -> Any: ...


class _IGraph(Protocol):
    def vcount(self) -> int: ...


Array: TypeAlias = "_numpy.ndarray | Any"
"""An array of NumPy, or of CuPy with ``output="device"``."""

ArrayLike: TypeAlias = "_OfNumPy | _OnDevice | _Exchanged"
"""An array on the host or a GPU, or a sequence of numbers."""

MatrixLike: TypeAlias = "Sequence[Sequence[float]] | _SupportsArray | _OnDevice | _Exchanged | _Sparse"
"""A square matrix of NumPy, SciPy, CuPy and others, or a list of rows."""

GraphLike: TypeAlias = "_Graph | MatrixLike | _NetworkX | _IGraph | _IntoDataFrame"
"""A Graph, a matrix of NumPy, SciPy or CuPy, a graph of NetworkX or igraph, or a data frame."""

NewWeights: TypeAlias = "ArrayLike | GraphLike | Mapping[tuple[Hashable, Hashable], float]"
"""New weights of a graph: an array, an object that a graph can be made of, or weights of pairs of vertices."""

VertexLike: TypeAlias = Hashable
"""A label, or an index of a graph without labels."""

VerticesLike: TypeAlias = Iterable[Hashable]
"""Several vertices: a sequence, a range or an array."""
