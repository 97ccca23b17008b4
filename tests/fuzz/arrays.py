"""Graphs as .npz: damaged bytes, members of other types and shapes, indices that lead outside."""

import io
from typing import Any

import numpy as np

import warpath
from fuzz.case import Case, FindingError
from fuzz.mutations import damaged_bytes


def case(case: Case) -> None:
    """A damaged file is refused, or gives a graph on which a solve ends."""
    members = _graph(case)
    edited = case.chance(0.6)
    for _ in range(case.random.randrange(1, 3) if edited else 0):
        _edit(case, members)
    file = io.BytesIO()
    (np.savez_compressed if case.chance(0.3) else np.savez)(file, **members)
    content = file.getvalue()
    if not edited or case.chance(0.2):
        content = damaged_bytes(content, case.random)
    path = case.write("input.npz", content)
    graph = case.attempt(lambda: warpath.read(path))
    if graph is None:
        return
    check_arrays(graph)
    case.attempt(graph.describe)
    case.attempt(lambda: graph.sha256)
    case.attempt(lambda: warpath.sssp(graph, 0, device="simulated", algorithm="dijkstra", variant="cpu"))
    for suffix in ("txt", "gr", "mtx", "wel"):
        case.attempt(lambda suffix=suffix: warpath.write(graph, case.folder / f"written.{suffix}"))
    if case.chance(0.1):
        case.command("solve", path, "--device", "simulated")


def check_arrays(graph: warpath.Graph) -> None:
    """FindingError if a kernel would read outside the arrays of ``graph``."""
    ends = np.asarray(graph.indptr)
    inside = len(ends) == graph.vertices + 1 and ends[0] == 0 and ends[-1] == len(graph.indices) == len(graph.weights)
    if not inside or (np.diff(ends) < 0).any():
        raise FindingError(f"indptr {ends[:9]} of {len(graph.indices)} arcs was taken")
    if graph.arcs and not 0 <= graph.indices.min() <= graph.indices.max() < graph.vertices:
        raise FindingError("an index outside the graph was taken")
    if len(graph.labels) != graph.vertices or len(set(np.asarray(graph.labels).tolist())) != graph.vertices:
        raise FindingError("labels that are not one a vertex were taken")


def _graph(case: Case) -> dict[str, Any]:
    vertices, arcs = case.random.randint(1, 9), case.random.randint(0, 20)
    graph = warpath.from_arcs(
        vertices,
        case.numpy.integers(0, vertices, arcs),
        case.numpy.integers(0, vertices, arcs),
        case.numpy.integers(0, 100, arcs),
        {"format": "gr", "origin": "x", "weights": {"kind": "given"}},
        case.random.choice((None, 1, [f"v{index}" for index in range(vertices)], np.arange(vertices) * 7)),
    )
    path = case.folder / "valid.npz"
    graph.save(path)
    with np.load(path) as file:
        return dict(file)


def _edit(case: Case, members: dict[str, Any]) -> None:
    """One member becomes another array, or is missing."""
    chosen = case.random
    name = chosen.choice(list(members) or ["new"])
    array = np.atleast_1d(np.asarray(members.get(name, np.zeros(3))))
    change = chosen.randrange(10)
    if change == 0:
        members.pop(name, None)
    elif change == 1:
        dtype = chosen.choice(("f8", "i8", "u8", "c16", "M8[s]", "m8[s]", "U5", "S3", "?", "f2", ">i4", "V4", "f4"))
        try:
            members[name] = array.astype(dtype)
        except (TypeError, ValueError, RuntimeError):  # the last: dates as short strings
            members[name] = np.zeros(len(array), dtype)
    elif change == 2:
        members[name] = array[: chosen.randrange(len(array) + 1)]
    elif change == 3:
        members[name] = np.concatenate([array, array])
    elif change == 4:
        members[name] = chosen.choice((array[0] if len(array) else array, array[None], array[:, None], array[::-1]))
    elif array.size and array.dtype.kind in "iuf":
        array = array.copy()
        odd = [0, 1, -1, len(array), 2**31 - 1, -(2**31)]
        if array.dtype.kind == "f":
            odd += [np.nan, np.inf, -np.inf, 1e300]
        with np.errstate(over="ignore"):
            array.flat[chosen.randrange(array.size)] = np.array(chosen.choice(odd)).astype(array.dtype)
        members[name] = array
