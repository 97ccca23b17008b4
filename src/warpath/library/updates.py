"""New weights for the arcs of a graph, from arrays of the host or the device, or from what a caller has."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..device import Device
from ..errors import GraphError, UsageError
from ..graphs.csr import Graph, check_weights, reweighted
from ..graphs.objects.adopted import Origin, has_names, is_graph
from ..graphs.objects.frames import is_column
from ..system.arrays import is_on, of_numpy, on_host, shared
from ..system.cores import in_pieces
from . import named_weights
from .calls import PINNED_BYTES_MAX


def updated(device: Device, graph: Graph, weights: Any, arcs: Any, weight: Any, origin: Origin) -> Graph:
    """``graph`` with new weights, as ``Solver.update`` takes them. Raises GraphError or UsageError."""
    named = has_names(weights)
    if weight is not ... and not named:
        raise UsageError(f"weight={weight!r} names a column or an attribute, and these weights have none; leave it out")
    if arcs is not None and (is_graph(weights) or isinstance(weights, Mapping)):
        raise UsageError("arcs= has the positions of an array's weights; leave it out")
    values: Any
    name = None
    if isinstance(weights, Mapping):
        values, arcs = named_weights.of_mapping(graph, origin, weights)
    elif named:
        name = origin.weight if weight is ... else weight
        values = named_weights.of_graph(graph, origin, weights, name)
    elif is_graph(weights):
        values = named_weights.of_graph(graph, origin, weights)
    elif arcs is None and is_column(weights):
        values = named_weights.of_column(graph, origin, weights)
        name = weights.name
    else:
        values = _numbers(device, weights)
        if arcs is None and values.ndim == 2:
            values = named_weights.of_graph(graph, origin, values)
    if values.ndim != 1:
        raise GraphError(f"weights has {values.ndim} dimensions; it must have one")
    positions = None if arcs is None else _positions(graph, arcs)
    count = graph.arcs if positions is None else len(positions)
    if len(values) != count:
        raise GraphError(f"there are {count} arcs but {len(values)} weights; an arc needs one")
    dtype = graph.weights.dtype
    if graph.has_floats:
        values = _as_floats(values, dtype)
    elif count and values.dtype.kind not in "iu":
        raise GraphError(f"the weights are {values.dtype}, and those of the graph {dtype}; give whole numbers")
    # The device copies page-locked memory in less time.
    pinned = graph.weights.nbytes <= PINNED_BYTES_MAX
    new = device.pinned(graph.weights.shape, dtype, pooled=True) if pinned else np.empty(graph.arcs, dtype)
    if positions is not None:
        check_weights(values)
        _copy_and_check(graph.weights, new)
        new[positions] = on_host(values)
        extreme_weights = _copy_and_check(new, new)
    elif isinstance(values, np.ndarray):
        extreme_weights = _copy_and_check(values, new)
    else:
        extreme_weights = check_weights(values)
        device.download(device.xp.ascontiguousarray(values.astype(dtype, copy=False)), new)
    return reweighted(graph, new, extreme_weights, name)


def _as_floats(values: Any, dtype: np.dtype) -> Any:
    """``values``, an array of one dimension, in the type ``dtype``, which has to hold each of them."""
    if not len(values) or values.dtype == dtype:
        return values.astype(dtype, copy=False)
    if values.dtype.kind not in "iuf":
        raise GraphError(f"the weights are {values.dtype}, and those of the graph {dtype}; give numbers")
    with np.errstate(over="ignore", invalid="ignore"):
        floats = values.astype(dtype)
        # NaN, which check_weights names, is no other number.
        changed = (floats.astype(values.dtype) != values) & (values == values)
    if changed.any():
        arc = int(changed.argmax())
        raise GraphError(
            f"weights[{arc}] is {values[arc]}, which {dtype}, the type of the graph's weights, does not hold"
        )
    return floats


def _copy_and_check(values: np.ndarray, copy: np.ndarray) -> tuple[float, float]:
    """``check_weights(values)``, and copy them into ``copy``, unless it is the same array. Uses several threads."""

    def take(part: np.ndarray, target: np.ndarray) -> tuple[Any, Any]:
        if copy is not values:
            np.copyto(target, part, casting="unsafe")
        return part.min(), part.max()

    found = in_pieces(take, values, copy)
    try:
        return check_weights(np.array(found, values.dtype).ravel())
    except GraphError:
        check_weights(values)  # names the position
        raise


def _numbers(device: Device, array: Any) -> Any:
    """``array`` as an array of NumPy or the device, without a copy if possible."""
    array = shared(array) if device.kind == "cuda" else array
    return array if is_on(device, array) else of_numpy("weights", array, GraphError)


def _positions(graph: Graph, arcs: Any) -> np.ndarray:
    positions = of_numpy("arcs", arcs, UsageError)
    if positions.ndim != 1 or (len(positions) and positions.dtype.kind not in "iu"):
        raise UsageError("arcs must be a flat sequence of positions, which are whole numbers")
    wrong = np.flatnonzero((positions < 0) | (positions >= graph.arcs))
    if len(wrong):
        raise UsageError(f"arc {positions[wrong[0]]} does not exist; arcs are 0..{graph.arcs - 1}")
    return positions.astype(np.int64, copy=False)
