"""Answers of other programs, changed: ``warpath certify`` calls exact only what is."""

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
from tree_oracle import distances_from

import warpath
from fuzz.case import Case, FindingError
from fuzz.mutations import damaged, damaged_bytes

_UNREACHABLE = 2**31 - 1
_NONE = (-1, -9999)


def case(case: Case) -> None:
    """A right answer, one with a wrong number in it, or a damaged file."""
    chosen = case.random
    graph, source, distances = _solved(case)
    graph_path = case.folder / "graph.npz"
    graph.save(graph_path)
    suffix = chosen.choice((".npz", ".npy", ".csv"))
    path = case.folder / f"answer{suffix}"
    case.command(
        "solve", graph_path, "--source", str(graph.label_of(source)), "--output", path, "--device", "simulated"
    )
    change = chosen.choice(("none", "number", "number", "file", "file", "file"))
    if change == "number":
        _change_number(case, path)
    elif change == "file":
        path.write_bytes((damaged if suffix == ".csv" else damaged_bytes)(path.read_bytes(), chosen))
    told = ("--source", str(graph.label_of(source))) if suffix == ".npy" or case.chance(0.3) else ()
    status, out, _ = case.command("certify", graph_path, path, *told, "--device", "simulated")
    if change == "none" and status != 0:
        raise FindingError(f"a right answer was called wrong: {case.note}")
    if status == 0:
        _hold_right(graph, source, distances, path, out)


def _solved(case: Case) -> tuple[warpath.Graph, int, list[float]]:
    """A graph, a source and the distances from it, inf where there is none."""
    vertices = case.random.choice((1, 2, 5, 9))
    arcs = case.random.choice((0, vertices, 3 * vertices))
    labels = case.random.choice((None, 1, 100, [5 * vertex for vertex in range(vertices)]))
    ends = case.numpy.integers(0, vertices, (2, arcs))
    weights = case.numpy.integers(0, 20, arcs)
    graph = warpath.from_arcs(vertices, *ends, weights, labels=labels)
    source = case.random.randrange(vertices)
    return graph, source, _distances(graph, source)


def _distances(graph: warpath.Graph, source: int) -> list[float]:
    return [math.inf if distance == _UNREACHABLE else distance for distance in distances_from(graph, source).tolist()]


def _arcs(graph: warpath.Graph) -> list[tuple[int, int, int]]:
    tails = np.repeat(np.arange(graph.vertices), np.diff(graph.indptr))
    return list(zip(tails.tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


def _change_number(case: Case, path: Path) -> None:
    """One distance or predecessor becomes another number."""
    chosen = case.random
    if path.suffix in (".npz", ".npy"):
        loaded = np.load(path)
        read = "distances", "predecessors", "sources"  # others may be damaged
        arrays = {name: loaded[name] for name in read if name in loaded} if path.suffix == ".npz" else {read[0]: loaded}
        name = chosen.choice([name for name in arrays if name != "labels"])
        odd = (0, 1, -1, -9999, 7, _UNREACHABLE, -(2**31), 2**31 - 2, -(2**63), 2**62)
        array = np.atleast_1d(arrays[name]).astype(np.int64)
        place = chosen.randrange(array.size)
        array.flat[place] = chosen.choice((*odd, array.flat[place] + 2**32, array.flat[place] - 2**32))
        dtype = chosen.choice(("i4", "i8", "i8", "i8", "f8", "f4", "u4", "u8", "i2"))
        arrays[name] = array.astype(dtype).reshape(arrays[name].shape)
        np.savez(path, **arrays) if path.suffix == ".npz" else np.save(path, arrays["distances"])
        return
    rows = list(csv.reader(io.StringIO(path.read_text())))
    value = chosen.choice((0, 1, -1, 7, 0.5, 1e300, -9999, _UNREACHABLE, "inf", "nan", "", None, "x", 2**62 + 1, True))
    row = chosen.choice(rows)
    row[chosen.randrange(len(row))] = str(value)
    path.write_text("\n".join(map(",".join, rows)) + "\n")


def _hold_right(graph: warpath.Graph, source: int, distances: list[float], path: Path, out: str) -> None:
    """FindingError if the file, read plainly, does not hold shortest paths from the source that it names."""
    try:
        vertices, found, predecessors, sources = _plainly(graph, path)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise FindingError(f"called right, but {type(error).__name__}: {error}") from None
    if sources is not None and "--source" not in (path.parent / "command.txt").read_text():
        source = sources[0]
        distances = _distances(graph, source)
    if sorted(vertices) != list(range(graph.vertices)):
        raise FindingError(f"called right with the vertices {vertices}: {out.strip()}")
    for vertex, distance in zip(vertices, found, strict=True):
        if distance != distances[vertex]:
            raise FindingError(f"called right: vertex {vertex} at {distance} and not {distances[vertex]}")
    if predecessors is None:
        return
    lightest: dict[tuple[int, int], int] = {}
    for tail, head, weight in _arcs(graph):
        lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    before = dict(zip(vertices, predecessors, strict=True))
    for vertex in range(graph.vertices):
        if (vertex == source or not math.isfinite(distances[vertex])) and before[vertex] is not None:
            raise FindingError(f"called right: vertex {vertex} has predecessor {before[vertex]}")
        at = vertex
        for _ in range(graph.vertices):
            if not math.isfinite(distances[at]) or at == source:
                break
            tail = before[at]
            if tail is None or lightest.get((tail, at), math.inf) + distances[tail] != distances[at]:
                raise FindingError(f"called right: vertex {at} has predecessor {tail}")
            at = tail
        if math.isfinite(distances[vertex]) and at != source:
            raise FindingError(f"called right: the predecessors of {vertex} lead in a circle")


def _rows(text: str) -> list[dict[str, str]]:
    """The lines of a CSV file that are not blank, below the first of them."""
    heading, *lines = [row for row in csv.reader(io.StringIO(text, newline="")) if len(row) > 1 or "".join(row).strip()]
    return [dict(zip(heading, line, strict=True)) for line in lines]


def _plainly(graph: warpath.Graph, path: Path) -> tuple[list, list, list | None, list | None]:
    """Vertices, distances, predecessors (None for none) and sources in ``path``, by index."""
    if path.suffix in (".npz", ".npy"):
        loaded: Any = np.load(path)
        read = "distances", "predecessors", "sources"  # others may be damaged
        arrays = {name: loaded[name] for name in read if name in loaded} if path.suffix == ".npz" else {read[0]: loaded}
        found = [
            math.inf if value in (_UNREACHABLE, math.inf) else value for value in arrays["distances"].ravel().tolist()
        ]
        before = arrays.get("predecessors")
        if before is not None:
            before = [None if value in _NONE else value for value in before.ravel().tolist()]
        sources = arrays.get("sources")
        return list(range(graph.vertices)), found, before, None if sources is None else np.atleast_1d(sources).tolist()
    rows = _rows(path.read_text("utf-8-sig"))
    index = {int(label): place for place, label in enumerate(np.asarray(graph.labels).tolist())}

    def number(value: Any) -> float:
        return math.inf if value in (None, "") or float(value) == _UNREACHABLE else float(value)

    def vertex(value: Any, empty: bool = False) -> Any:
        if empty and (value in (None, "") or float(value) in _NONE):
            return None
        return index[int(float(value))]

    def column(name: str) -> list | None:
        return [row.get(name) for row in rows] if any(name in row for row in rows) else None

    before, sources = column("predecessor"), column("source")
    return (
        [vertex(row["vertex"]) for row in rows],
        [number(row.get("distance")) for row in rows],
        None if before is None else [vertex(value, True) for value in before],
        None if sources is None else [vertex(value) for value in sources],
    )
