"""The graph: a weighted digraph in compressed sparse rows (CSR)."""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from ..distances import unreachable
from ..errors import FormatError, GraphError, UsageError
from ..system.arrays import complete, of_numpy, on_host
from ..system.atomic import atomic_write
from ..system.cores import in_pieces
from .claims import check_claims
from .description import describe, parallel_arcs
from .labels import Labels, saved_labels, unsaved
from .lightest import LightestArcs
from .npz_file import read_metadata, read_npz, to_make_again

if TYPE_CHECKING:
    import networkx
    import scipy.sparse

    from ..typing import ArrayLike

ARCS_MAX = 2**31 - 2**16  # kernels count arcs in 32 bits, some of them beyond the last one of a row
VERTICES_MAX = 2**31 - 2
# 2**31 - 1 is UNREACHABLE: in a dense matrix it means "no arc".
WEIGHT_LIMIT = 2**31 - 2
WEIGHT_TYPES = (np.dtype(np.int32), np.dtype(np.float32), np.dtype(np.float64))
_TYPE_NAMES = "int32, float32 or float64"


class _Weights(Struct, frozen=True):
    kind: Literal["given", "random", "unit"] = "given"
    seed: int | None = None
    min: int | None = None
    max: int | None = None
    like: str | None = None
    name: str | None = None
    scale: Annotated[int, Meta(ge=1, le=2**30)] = 1

    def __post_init__(self) -> None:
        if self.kind == "random" and None in (self.seed, self.min, self.max):
            raise ValueError("random weights need `seed`, `min` and `max`")


class _Metadata(Struct):
    """The keys of ``Graph.metadata`` that this package reads."""

    format: str | None = None
    origin: str | None = None
    dataset: str | None = None
    title: str | None = None
    derived_from: str | None = None
    generator: str | None = None
    undirected: bool = False
    weights: _Weights = _Weights()


def check_metadata(metadata: Any) -> None:
    """Raise GraphError if ``metadata`` is not a dict with string keys, or a value has the wrong type."""
    if not isinstance(metadata, dict):
        raise GraphError(f"the metadata is a {type(metadata).__name__}; it must be a mapping")
    for name in metadata:
        if not isinstance(name, str):
            raise GraphError(f"the metadata has the key {name!r}; a key is a string")
    try:
        msgspec.convert(metadata, _Metadata)
    except msgspec.ValidationError as error:
        raise GraphError(f"metadata: {error}") from None


class _LabelsField:
    """The field ``Graph.labels``: set from what ``Labels.of`` takes, read as an array."""

    def __get__(self, graph: "Graph | None", owner: type | None = None) -> Any:
        return None if graph is None else graph.names.array  # None is the default of the field

    def __set__(self, graph: "Graph", labels: Any) -> None:
        vars(graph)["names"] = labels


class _RowsField:
    """The field ``Graph.rows``: None takes no memory, and is read as the positions of the arcs."""

    def __get__(self, graph: "Graph | None", owner: type | None = None) -> Any:
        if graph is None:
            return None  # the default of the field
        rows = vars(graph)["_rows"]
        return np.arange(graph.arcs, dtype=np.int32) if rows is None else rows

    def __set__(self, graph: "Graph", rows: Any) -> None:
        vars(graph)["_rows"] = rows


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A weighted digraph in compressed sparse rows, with SciPy's names.

    The arcs from vertex ``u`` are ``indices[indptr[u]:indptr[u + 1]]``. Loops, parallel arcs, zero weights and
    vertices without arcs are kept. Arrays are read-only. Those that have the types below are not copied, so they must
    not change afterwards.

    Parameters
    ----------
    indptr : int32 array of shape (n + 1,)
        The position of each vertex's first arc.
    indices : int32 array of shape (m,)
        The head of each arc, from 0 to n - 1.
    weights : int32, float32 or float64 array of shape (m,)
        Integers are from -(2**31 - 2) to 2**31 - 2, floats are finite. Distances have the type of the weights.
    metadata : dict, optional
        Where the graph comes from, in JSON values. Claims about the arcs, ``undirected`` and weights of the kind
        "unit", are compared with them.
    labels : optional
        Names of the vertices: the first of consecutive numbers, or one label for each vertex. Default: from 0.
        Reading the attribute gives an array of shape (n,), int64, str or object.
    rows : integers of shape (m,), optional
        Where each arc comes from: the row of a data frame, edge of NetworkX or igraph in their order, stored entry of a
        matrix, arc of a text file or of the lists of ``from_arcs``, counted from 0. Both arcs of an undirected edge
        have its row. So ``values[graph.rows]`` has the order of ``weights`` if ``values`` has that of the rows.
        Default: arcs are in the order of the rows. Graphs with other weights or arcs turned round keep the rows; .npz
        files do not.

    Raises
    ------
    GraphError
        The arrays are not such a graph, two labels are equal, or a claim of the metadata is false.
    """

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    metadata: dict = field(default_factory=dict)
    labels: _LabelsField = _LabelsField()
    rows: _RowsField = _RowsField()
    names: Labels = field(init=False)
    _extreme_weights: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        for name in ("indptr", "indices", "weights"):
            types = WEIGHT_TYPES if name == "weights" else WEIGHT_TYPES[:1]
            object.__setattr__(self, name, _read_only(name, getattr(self, name), types))
        object.__setattr__(self, "_extreme_weights", _check_rows(self.indptr, self.indices, self.weights))
        check_metadata(self.metadata)
        object.__setattr__(self, "names", Labels.of(self.names, self.vertices))
        object.__setattr__(self, "rows", _rows_of(vars(self)["_rows"], self.arcs))
        check_claims(self)

    def __reduce__(self) -> tuple[Any, ...]:
        labels = self.names.array if self.names.first is None else self.names.first
        return Graph, (self.indptr, self.indices, self.weights, self.metadata, labels, vars(self)["_rows"])

    @cached_property
    def vertices(self) -> int:
        """The number of vertices, n."""
        return len(self.indptr) - 1

    @cached_property
    def arcs(self) -> int:
        """The number of arcs, m."""
        return len(self.indices)

    @cached_property
    def weight_min(self) -> float:
        """The smallest weight, an int if the weights are whole; 0 for a graph without arcs."""
        return self._extreme_weights[0]

    @cached_property
    def weight_max(self) -> float:
        """The largest weight, an int if the weights are whole; 0 for a graph without arcs."""
        return self._extreme_weights[1]

    @cached_property
    def has_floats(self) -> bool:
        """Whether the weights are float32 or float64."""
        return self.weights.dtype.kind == "f"

    @cached_property
    def sha256(self) -> str:
        """A hash of the three arrays."""
        digest = hashlib.sha256(f"{self.vertices} {self.arcs}\n".encode())
        for array in (self.indptr, self.indices, self.weights):
            digest.update(np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data)
        if self.has_floats:
            digest.update(self.weights.dtype.name.encode())
        return digest.hexdigest()

    def tails(self) -> np.ndarray:
        """The tail of each arc, shape (m,), int32."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), np.diff(self.indptr))

    def dense(self) -> np.ndarray:
        """The weight matrix, shape (n, n), of the type of the weights.

        A cell is the lightest of parallel arcs, and UNREACHABLE or infinity where there is no arc.
        """
        dtype = self.weights.dtype
        matrix = np.full((self.vertices, self.vertices), unreachable(dtype), dtype)
        np.minimum.at(matrix, (self.tails(), self.indices), self.weights)
        return matrix

    @cached_property
    def lightest(self) -> LightestArcs:
        """The lightest arc from one vertex to another."""
        return LightestArcs(self)

    @cached_property
    def longest_path_bound(self) -> int:
        """An upper bound on the absolute weight of a simple path, if the weights are whole.

        Below 2**31 - 1, each distance fits into int32.
        """
        # A simple path enters each vertex at most once.
        heaviest_into = np.zeros(self.vertices, dtype=np.int64)
        np.maximum.at(heaviest_into, self.indices, np.abs(self.weights.astype(np.int64)))
        return int(heaviest_into.sum())

    @property
    def scale(self) -> int:
        """The factor that made the weights whole; a distance divided by it has the unit of the original weights."""
        return self.metadata.get("weights", {}).get("scale", 1)

    @property
    def weight_name(self) -> str | None:
        """The name of the weights in the file or object that the graph comes from; None if each arc counts 1."""
        weights = self.metadata.get("weights", {})
        return None if weights.get("kind") == "unit" else weights.get("name", "weight")

    def label_of(self, index: int) -> Any:
        """The label of a vertex.

        Parameters
        ----------
        index : int
            From 0 to n - 1.

        Returns
        -------
        int, str or another Python object

        Raises
        ------
        UsageError
            There is no such vertex.
        """
        if not isinstance(index, int | np.integer) or not 0 <= index < self.vertices:
            raise UsageError(f"vertex {index!r} does not exist; indices of vertices are 0..{self.vertices - 1}")
        return self.names.of_index(index)

    def index_of(self, labels: Any) -> Any:
        """The vertices with the given labels.

        Parameters
        ----------
        labels : a label, or a sequence of k labels

        Returns
        -------
        int, or int64 array of shape (k,)

        Raises
        ------
        UsageError
            There is no such vertex; the message suggests similar labels.
        """
        return self.names.index_of(labels)

    @cached_property
    def by_index(self) -> "Graph":
        """The graph without labels: questions and answers about it name vertices by their indices.

        Examples
        --------
        >>> import warpath
        >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5], labels=["a", "b", "c"])
        >>> warpath.sssp(graph, "a", device="cpu").path_to("c")
        ['a', 'b', 'c']
        >>> warpath.sssp(graph.by_index, 0, device="cpu").path_to(2)
        [0, 1, 2]
        """
        same = object.__new__(Graph)
        vars(same).update(vars(self), names=Labels(self.vertices, 0))
        return same

    def reverse(self) -> "Graph":
        """The graph with each arc turned round, so that paths from a vertex become paths to it.

        Examples
        --------
        >>> import warpath
        >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
        >>> warpath.sssp(graph.reverse(), 2, device="simulated").distances  # to vertex 2
        array([9, 5, 0], dtype=int32)
        """
        arcs = self.indices, self.tails(), self.weights
        return from_arcs(self.vertices, *arcs, self.metadata, self.names, self.rows)

    def to_scipy(self) -> "scipy.sparse.csr_array":
        """The graph as a matrix for ``scipy.sparse.csgraph``.

        Returns
        -------
        scipy.sparse.csr_array of shape (n, n), float64
            Entry (u, v) is the lightest arc from u to v, in the unit of ``weights``. Zero weights are stored.

        Examples
        --------
        >>> import warpath
        >>> warpath.from_arcs(2, [0, 0, 1], [1, 1, 0], [5, 4, 0]).to_scipy().data
        array([4., 0.])
        """
        import scipy.sparse  # slow to import

        keys, arcs = self.lightest.keys, self.lightest.positions
        indptr = np.searchsorted(keys, np.arange(self.vertices + 1) << 32).astype(np.int32)
        entries = self.weights[arcs].astype(np.float64), self.indices[arcs], indptr
        return scipy.sparse.csr_array(entries, shape=(self.vertices, self.vertices))

    def to_networkx(self) -> "networkx.DiGraph":
        """The graph as NetworkX's, with labels as nodes.

        Returns
        -------
        networkx.DiGraph, or networkx.MultiDiGraph if there are parallel arcs
            Edges have the attribute ``weight``, in the unit of ``weights``.

        Raises
        ------
        UsageError
            NetworkX is not installed.

        Examples
        --------
        >>> import warpath
        >>> warpath.from_arcs(2, [0], [1], [5], labels=["a", "b"]).to_networkx().edges(data="weight")
        OutEdgeDataView([('a', 'b', 5)])
        """
        try:
            import networkx
        except ImportError:
            raise UsageError("to_networkx needs NetworkX, which is not installed; pip install networkx") from None
        graph = networkx.MultiDiGraph() if parallel_arcs(self) else networkx.DiGraph()
        labels = self.labels.tolist()
        graph.add_nodes_from(labels)
        ends = ([labels[end] for end in ends.tolist()] for ends in (self.tails(), self.indices))
        graph.add_weighted_edges_from(zip(*ends, self.weights.tolist(), strict=True))
        return graph

    def describe(self) -> str:
        """One line of text: format, counts, weights, parallel arcs, loops and labels."""
        return describe(self)

    def __eq__(self, other: object) -> bool:
        """Whether arrays, labels and scale are equal; metadata and rows do not count."""
        if not isinstance(other, Graph):
            return NotImplemented
        return self is other or (
            self.scale == other.scale
            and self.names == other.names
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
            and self.weights.dtype == other.weights.dtype
            and np.array_equal(self.weights, other.weights)
        )

    def __hash__(self) -> int:
        return hash((self.sha256, self.scale))

    def __repr__(self) -> str:
        weights = f"weights {self.weight_min} to {self.weight_max}"
        if self.has_floats:
            weights = f"{weights}, {self.weights.dtype}"
        scale = f", scale {self.scale}" if self.scale != 1 else ""
        return f"<Graph: {self.vertices} vertices, {self.arcs} arcs, {weights}{scale}, labels {self.names}>"

    def save(self, path: str | os.PathLike) -> None:
        """Write the graph to an .npz file, completely or not at all. Equal graphs give equal bytes.

        Parameters
        ----------
        path : path

        Raises
        ------
        UsageError
            A label is neither a whole number nor a string, or a string that the file cannot hold.
        """
        labels = self.names.compact
        label = unsaved(labels)
        if label is not None:
            raise UsageError(
                f"{path}: an .npz file cannot hold the label {label!r} of type {type(label).__name__}; "
                "give the vertices numbers or strings as labels"
            )
        metadata = json.dumps(self.metadata, sort_keys=True, ensure_ascii=False)
        with atomic_write(path) as temporary, open(temporary, "wb") as file:
            np.savez(
                file,
                indptr=self.indptr,
                indices=self.indices,
                weights=self.weights,
                labels=labels,
                # Its origin may be a file whose name is no text.
                about=np.frombuffer(metadata.encode(errors="replace"), dtype=np.uint8),
            )


def from_arcs(
    vertices: int,
    tails: "ArrayLike",
    heads: "ArrayLike",
    weights: "ArrayLike",
    metadata: dict | None = None,
    labels: Any = None,
    rows: "ArrayLike | None" = None,
) -> Graph:
    """Build a graph from lists of arcs. Arcs with the same tail keep their order.

    Parameters
    ----------
    vertices : int
        The number of vertices, at least 1.
    tails, heads : integers of shape (m,)
        The ends of each arc, from 0 to ``vertices`` - 1.
    weights : numbers of shape (m,)
        Integers from -(2**31 - 2) to 2**31 - 2, which are held as int32, or finite floats, held as float32 if they are,
        else as float64.
    metadata : dict, optional
        Where the graph comes from, in JSON values.
    labels : optional
        Names of the vertices: the first of consecutive numbers, or one label for each vertex. Default: from 0.
    rows : integers of shape (m,), optional
        Where each arc comes from, for ``Graph.rows``. Default: its position in the lists.

    Returns
    -------
    Graph

    Raises
    ------
    GraphError
        There is no vertex, an end is no vertex, a weight is too large or not finite, or int32 cannot number the
        vertices or arcs.

    Examples
    --------
    >>> import warpath
    >>> warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    <Graph: 3 vertices, 2 arcs, weights 4 to 5, labels 0 to 2>
    >>> warpath.from_arcs(3, [0, 1], [1, 2], [0.25, 5])
    <Graph: 3 vertices, 2 arcs, weights 0.25 to 5.0, float64, labels 0 to 2>
    >>> warpath.from_arcs(3, [1, 0], [2, 1], [5, 4]).rows  # arcs are sorted by tail
    array([1, 0], dtype=int32)
    """
    if not isinstance(vertices, int | np.integer) or isinstance(vertices, bool):
        raise GraphError(f"the number of vertices is {vertices!r}; it must be a whole number")
    _check_not_empty(vertices)
    tails, heads, weights = _integers("tails", tails), _integers("heads", heads), _numbers(weights)
    if not len(tails) == len(heads) == len(weights):
        raise GraphError(
            f"there are {len(tails)} tails, {len(heads)} heads and {len(weights)} weights; an arc needs one of each"
        )
    if vertices > VERTICES_MAX or len(tails) > ARCS_MAX:
        raise GraphError(f"{vertices} vertices and {len(tails)} arcs are more than 32-bit numbers can count")
    _check_ends("tails", tails, vertices)
    _check_ends("heads", heads, vertices)
    check_weights(weights)
    indptr = np.zeros(vertices + 1, dtype=np.int32)
    np.cumsum(np.bincount(tails, minlength=vertices), out=indptr[1:])
    # Sorting tail and position as one integer is faster than a stable argsort and needs no second array.
    order = tails.astype(np.int64)
    order <<= 32
    order |= np.arange(len(order))
    order.sort()
    order &= 2**32 - 1
    return Graph(
        indptr,
        heads[order].astype(np.int32, copy=False),
        weights[order].astype(weights.dtype if weights.dtype.kind == "f" else np.int32, copy=False),
        metadata or {},
        labels,
        order.astype(np.int32) if rows is None else _checked_rows(rows, len(order))[order],
    )


def reweighted(graph: Graph, weights: np.ndarray, extreme_weights: tuple[float, float], name: Any = None) -> Graph:
    """``graph`` with other weights, an array of their type and shape that nobody changes. It shares the other arrays.

    ``name`` is that of the new weights; None stands for the old one.

    The new weights of two opposite arcs may differ, so the metadata no longer say that the graph is undirected.
    ``extreme_weights`` is what ``check_weights`` returned. Nothing is checked again, unlike by ``dataclasses.replace``.
    """
    before = graph.metadata.get("weights", {})
    given = {"kind": "given"} | {key: before[key] for key in ("name", "scale") if key in before}
    if name is not None:
        given["name"] = str(name)
    new = object.__new__(Graph)
    vars(new).update(
        indptr=graph.indptr,
        indices=graph.indices,
        weights=_read_only("weights", weights, WEIGHT_TYPES),
        metadata={**{key: value for key, value in graph.metadata.items() if key != "undirected"}, "weights": given},
        names=graph.names,
        _rows=vars(graph)["_rows"],
        _extreme_weights=extreme_weights,
    )
    return new


def both_ways(
    tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, sign: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The edges as arcs, followed by the reverse of each edge but loops, with ``sign`` times its weight.

    The last array has the edge of each arc.
    """
    back = np.flatnonzero(tails != heads)
    return (
        np.concatenate([tails, heads[back]]),
        np.concatenate([heads, tails[back]]),
        np.concatenate([weights, sign * weights[back]]),
        np.append(np.arange(len(tails), dtype=np.int32), back.astype(np.int32)),
    )


def undirected(graph: Graph) -> Graph:
    """``graph`` with each arc in both directions; itself if it is undirected already."""
    if graph.metadata.get("undirected"):
        return graph
    tails, heads, weights, edges = both_ways(graph.tails(), graph.indices, graph.weights)
    metadata = {**graph.metadata, "undirected": True}
    return from_arcs(graph.vertices, tails, heads, weights, metadata, graph.names, graph.rows[edges])


def load(path: str | os.PathLike) -> Graph:
    """Read a graph that ``Graph.save`` wrote. Raises FormatError or OutOfMemoryError."""
    names = ("indptr", "indices", "weights", "about", "labels")
    try:
        arrays = read_npz(path, names)
        if missing := [name for name in names if name not in arrays]:
            raise FormatError(f"{path}: not a warpath graph: it has no array {missing[0]!r}; name another file")
        labels = saved_labels(arrays["labels"])
        return Graph(arrays["indptr"], arrays["indices"], arrays["weights"], read_metadata(arrays["about"]), labels)
    except (ValueError, GraphError) as error:
        raise FormatError(f"{path}: not a warpath graph ({error}); {to_make_again(path)}") from None


def _read_only(name: str, array: np.ndarray, types: Sequence[np.dtype]) -> np.ndarray:
    """A read-only view of ``array``; GraphError if it is not one-dimensional, of one of ``types``."""
    names = _TYPE_NAMES if len(types) > 1 else "int32"
    array = complete(name, on_host(array), GraphError)
    if not isinstance(array, np.ndarray):
        raise GraphError(f"{name} is a {type(array).__name__}; it must be a NumPy array of {names}")
    if array.ndim != 1 or array.dtype not in types:
        raise GraphError(f"{name} is {array.ndim}-dimensional {array.dtype}; it must be one-dimensional {names}")
    if array.dtype.kind == "f" and np.signbit(array[array == 0]).any():
        array = array + array.dtype.type(0)  # -0 + 0 is 0
    if not array.flags.writeable and array.flags.c_contiguous:
        return array
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _rows_of(rows: Any, arcs: int) -> np.ndarray | None:
    """``rows`` as ``Graph`` holds them: read-only, or None if arcs are in their order."""
    if rows is None:
        return None
    checked = _checked_rows(rows, arcs)
    if not arcs or (checked[0] == 0 and (np.diff(checked) == 1).all()):
        return None
    view = checked.view()
    view.flags.writeable = False
    return view


def _checked_rows(rows: Any, arcs: int) -> np.ndarray:
    values = _integers("rows", rows)
    if len(values) != arcs:
        raise GraphError(f"there are {arcs} arcs but {len(values)} rows; an arc needs one")
    if arcs and values.min() < 0:
        raise GraphError(f"rows[{values.argmin()}] is {values.min()}; rows are numbered from 0")
    return values


def _check_not_empty(vertices: int) -> None:
    if vertices < 1:
        raise GraphError("the graph has no vertices; a shortest path needs at least one")


def _numbers(weights: "ArrayLike") -> np.ndarray:
    """``weights`` as integers, float32 or float64."""
    weights = on_host(weights)
    values = of_numpy("weights", weights, GraphError)
    if values.dtype.kind == "f" and values.ndim == 1 and (len(values) or isinstance(weights, np.ndarray)):
        if values.itemsize > 8:
            raise GraphError(f"the weights are {values.dtype}; floats have at most 64 bits")
        return values.astype(np.promote_types(values.dtype, np.float32), copy=False)
    return _integers("weights", values)


def _integers(name: str, numbers: "ArrayLike") -> np.ndarray:
    values = of_numpy(name, numbers, GraphError)
    if values.ndim != 1:
        raise GraphError(f"{name} has {values.ndim} dimensions; it must have one")
    if len(values) and values.dtype.kind not in "iu":
        kinds = "integers or floats" if name == "weights" else "integers"
        raise GraphError(f"{name} are {values.dtype} numbers; they must be {kinds}")
    return values if len(values) else values.astype(np.int32)


def _falls(numbers: np.ndarray) -> bool:
    """Whether a number is less than the one before it."""
    return any(in_pieces(lambda after, before: (after < before).any(), numbers[1:], numbers[:-1]))


def _extremes(numbers: Any) -> tuple[float, float]:
    """The least and the greatest of ``numbers``, an array of NumPy or CuPy; NaN if there is one, 0 for none."""
    if not len(numbers):
        return 0, 0
    if not isinstance(numbers, np.ndarray):
        return numbers.min().item(), numbers.max().item()
    least, most = zip(*in_pieces(lambda piece: (piece.min(), piece.max()), numbers), strict=True)
    return np.min(least).item(), np.max(most).item()


def _check_ends(name: str, ends: np.ndarray, vertices: int) -> None:
    least, most = _extremes(ends)
    if len(ends) and not 0 <= least <= most < vertices:
        arc = int(np.flatnonzero((ends < 0) | (ends >= vertices))[0])
        raise GraphError(f"{name}[{arc}] is {ends[arc]}, which is not a vertex; vertices are 0..{vertices - 1}")


def check_weights(weights: Any) -> tuple[float, float]:
    """The smallest and the largest weight, 0 for none, of an array of NumPy or CuPy.

    Raises GraphError that names the first integer beyond WEIGHT_LIMIT, or float that is not finite.
    """
    least, most = _extremes(weights)
    if weights.dtype.kind == "f":
        if not (isfinite(least) and isfinite(most)):  # NaN is the minimum, if there is one
            arc = int(np.argmin(np.isfinite(weights)))
            raise GraphError(f"weights[{arc}] is {weights[arc]}; a weight is a finite number")
        return least + 0, most + 0  # -0 + 0 is 0
    if not -WEIGHT_LIMIT <= least <= most <= WEIGHT_LIMIT:
        arc = int(np.flatnonzero((weights < -WEIGHT_LIMIT) | (weights > WEIGHT_LIMIT))[0])
        limit = f"at most {WEIGHT_LIMIT} in absolute value, unless they are floats"
        raise GraphError(f"weights[{arc}] is {weights[arc]}; weights are {limit}")
    return least, most


def _check_rows(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """The extreme weights. Raise GraphError if the arrays are not compressed sparse rows: a pass over the arcs."""
    vertices, arcs = len(indptr) - 1, len(indices)
    _check_not_empty(vertices)
    if len(weights) != arcs:
        raise GraphError(f"there are {arcs} indices but {len(weights)} weights")
    if arcs > ARCS_MAX:
        raise GraphError(f"there are {arcs} arcs; a graph has at most {ARCS_MAX}")
    if indptr[0] != 0 or indptr[-1] != arcs or _falls(indptr):
        raise GraphError(f"indptr does not increase from 0 to the number of arcs, {arcs}")
    _check_ends("indices", indices, vertices)
    return check_weights(weights)
