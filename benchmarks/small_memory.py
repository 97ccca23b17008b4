"""What runs on a GPU with little memory, and how does the rest refuse?

    python benchmarks/small_memory.py [--gib 8] [--small] [--device cuda] [--cache FOLDER]

All memory of the GPU but for so many GiB is taken first, in the same process. Each line is one question to the library:
the time of its certified answer, the time if it is asked again, and the solver; or the sentence of the error.
The first time may include the copy of the graph to the GPU and loading or compiling kernels. What took more than ten
seconds is asked once. Graphs are kept in FOLDER, if it is named. ``--small`` has graphs of a thousandth of the size, to
try the script.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from first_calls import graph_of

import warpath
from warpath.device import Device, open_device
from warpath.errors import WarpathError
from warpath_study.measure.heading import code_of_library, heading

GIB = 2**30
AGAIN_S_MAX = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--gib", type=float, default=8, help="what is left of the GPU's memory (default: 8)")
    parser.add_argument("--small", action="store_true", help="graphs of a thousandth of the size")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--cache", type=Path, help="a folder for generated graphs")
    options = parser.parse_args()
    device = open_device(options.device)
    code = [*code_of_library(device.kind), "blocked_all_pairs.out_of_core"]
    print(heading(device.name, device.kind, code), flush=True)
    taken = take(device, options.gib)
    print(f"{device.name}, {device.memory_bytes()[0] / GIB:.2f} GiB free")
    for title, question in questions(device, 1000 if options.small else 1, options.cache):
        began = perf_counter()
        try:
            result = question()
            seconds = perf_counter() - began
            again = timed(question) if seconds < AGAIN_S_MAX else "–"
            print(f"{title}: {seconds:.3f} s, again {again}, {result}", flush=True)
        except WarpathError as error:
            print(f"{title}: {type(error).__name__} after {perf_counter() - began:.3f} s: {error}", flush=True)
        device.release()
    del taken


def timed(question: Callable[[], str]) -> str:
    began = perf_counter()
    question()
    return f"{perf_counter() - began:.3f} s"


def take(device: Device, gib: float) -> Any:
    """All memory of the GPU but for ``gib``; it is free again once the result is gone."""
    if device.kind != "cuda":
        return None
    import cupy

    device.empty((1,), "int32")  # the context takes memory, too
    device.release()
    return cupy.cuda.memory.Memory(max(0, device.memory_bytes()[0] - int(gib * GIB)))


def questions(device: Device, divisor: int, cache: Path | None) -> Iterator[tuple[str, Callable[[], str]]]:
    """Title and question, one after another, since the graphs are large."""
    for family, vertices in (("road", 8_000_000), ("R-MAT", 2**22), ("R-MAT", 2**23)):
        graph = graph_of(f"{family}:{vertices // divisor}", 1, cache)
        size = f"{family}, {graph.vertices:,} vertices, {graph.arcs:,} arcs"
        hub = int(np.diff(graph.indptr).argmax())  # a vertex that reaches most others
        yield f"{size}, one source", lambda graph=graph, hub=hub: told(warpath.sssp(graph, hub, device=device))
        prepared = lambda graph=graph, hub=hub: told(warpath.prepare(graph, device).sssp(hub))  # noqa: E731
        yield f"{size}, prepared, one source", prepared
        if family == "R-MAT" and vertices == 2**22:
            yield f"{size}, 64 sources", lambda graph=graph: told(warpath.sssp(graph, range(64), device=device))
    for vertices in (20_000, 36_000, 60_000):
        graph = graph_of(f"random, degree 4:{vertices // divisor}", 1, cache)
        title = f"random, {graph.vertices:,} vertices, all pairs"
        distances = lambda graph=graph: told(warpath.apsp(graph, device=device, predecessors=False))  # noqa: E731
        yield f"{title}, distances", distances
        if vertices == 20_000:
            yield f"{title}, distances and trees", lambda graph=graph: told(warpath.apsp(graph, device=device))
            yield (
                f"{title}, by Floyd-Warshall, left on the GPU",
                lambda graph=graph: told(
                    warpath.apsp(graph, device=device, algorithm="floyd_warshall", predecessors=False, output="device")
                ),
            )
        if vertices == 60_000:
            yield (
                f"{title}, distances left on the GPU",
                lambda graph=graph: told(warpath.apsp(graph, device=device, predecessors=False, output="device")),
            )
            yield (
                f"{title}, distances, by Floyd-Warshall out of core",
                lambda graph=graph: told(
                    warpath.apsp(
                        graph,
                        device=device,
                        predecessors=False,
                        algorithm="blocked_all_pairs",
                        variant="out_of_core",
                    )
                ),
            )


def told(paths: warpath.Paths) -> str:
    return f"{paths.variant}, {paths.certificate.verdict}"


if __name__ == "__main__":
    sys.exit(main())
