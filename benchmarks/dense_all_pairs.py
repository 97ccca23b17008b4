"""How many relaxations a second do the dense variants of Floyd-Warshall do? Prints n^3 over the median time of a solve.

    python benchmarks/dense_all_pairs.py [--vertices 1024 4096 ...] [--variant lookahead narrow staged] [--device cuda]
        [--weights int32 float32 float64]

The graphs are complete, with random weights that are made on the device. A solve is timed by the device's clock and by
the wall clock: from the graph on the device to distances, and predecessors, on the device, starting values included.
The distances of all variants are compared with each other, and some rows of predecessors with the distances.
"""

import argparse
from itertools import product
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from warpath.device import Device, open_device
from warpath.device.resident import Resident, resident
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath_study.measure.heading import heading
from warpath_study.measure.plans import plan_of
from warpath_study.published.shared.plan import Plan, Solution

TERA = 1e12
HEAVIEST = 10_000
ROWS_LOOKED_AT = 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vertices", type=int, nargs="+", default=[1024, 4096, 10_876])
    parser.add_argument("--variant", nargs="+", default=["lookahead", "narrow", "staged"])
    parser.add_argument("--weights", nargs="+", default=["int32"], help="types of weights (default: int32)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--solves", type=int, default=5, help="default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(heading(device.name, device.kind, [f"floyd_warshall.{name}" for name in options.variant]), flush=True)
    print(f"{device.name}: complete graphs, weights up to {HEAVIEST:,}, medians of {options.solves} solves")
    for vertices, dtype in product(options.vertices, map(np.dtype, options.weights)):
        kept = complete_graph(device, vertices, dtype)
        expected = answer = plan = None
        for name in options.variant:
            variant = find("floyd_warshall", name)
            if dtype.kind == "f" and not variant.floats:
                continue
            for predecessors in (False, True) if variant.optional_predecessors else (True,):
                plan = plan_of(variant, device, kept.graph, None, **({} if predecessors else {"predecessors": False}))
                what = name + (f" {dtype}" if dtype.kind == "f" else "") + (", predecessors" if predecessors else "")
                print(f"n = {vertices:6,}  {what:24s}", end=" ")
                measure(plan, options.solves)
                answer = plan.on_device()
                look_at(answer, kept, expected)
                expected = answer.distances
                plan.release()
                device.release()
        del kept, expected, answer, plan
        device.release()


def complete_graph(device: Device, vertices: int, dtype: np.dtype) -> Resident:
    """Arcs from every vertex to every vertex, on the device alone; the graph on the host has none of them."""
    xp = device.xp
    xp.random.seed(1)
    if dtype.kind == "f":
        weights = xp.random.random_sample(vertices * vertices).astype(dtype)
        weights *= HEAVIEST
    else:
        weights = xp.random.randint(1, HEAVIEST + 1, vertices * vertices, dtype=np.int32)
    heads = xp.empty((vertices, vertices), np.int32)
    heads[:] = xp.arange(vertices, dtype=np.int32)
    indptr = (xp.arange(vertices + 1, dtype=np.int64) * vertices).astype(np.int32)
    of = from_arcs(vertices, [], [], np.empty(0, dtype))
    found = resident(device, of)
    found._arcs.made["arrays"] = {"indptr": indptr, "indices": heads.ravel()}
    found.made["arrays"] = {"weights": weights}
    return found


def measure(plan: Plan, solves: int) -> None:
    """Print the medians of ``solves`` solves, after one that does not count."""
    device, vertices = plan.device, plan.graph.vertices
    device_s, wall_s = [], []
    for _ in range(solves + 1):
        plan.counters.clear()
        device.synchronize()
        began, start = perf_counter(), device.record()
        plan.start(None)
        plan.run()
        stop = device.record()
        device_s.append(device.seconds_between(start, stop))
        wall_s.append(perf_counter() - began)
    seconds = median(device_s[1:])
    print(
        f"{1000 * seconds:10.2f} ms {1000 * median(wall_s[1:]):10.2f} ms wall "
        f"{vertices**3 / seconds / TERA:6.2f} T relaxations a second",
        flush=True,
    )


def look_at(answer: Solution, kept: Resident, expected: Any | None) -> None:
    """Exit where distances differ from the ``expected`` ones, or predecessors do not lead there."""
    distances, vertices = answer.distances, kept.graph.vertices
    if expected is not None and not bool((distances == expected).all()):
        raise SystemExit("the answers differ")
    if answer.predecessors is None:
        return
    xp, weights = kept.device.xp, kept.weights.reshape(vertices, vertices)
    heads = xp.arange(vertices)
    for source in range(0, vertices, max(vertices // ROWS_LOOKED_AT, 1)):
        row, tails = distances[source], answer.predecessors[source]
        lengths = xp.where(heads == source, 0, row[tails] + weights[tails, heads])
        if not bool((lengths == row).all()):
            raise SystemExit(f"the predecessors of row {source} do not lead to its distances")


if __name__ == "__main__":
    main()
