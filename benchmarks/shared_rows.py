"""How well do several GPUs share the rows of one Floyd-Warshall? Prints n^3 over the time, and against one GPU.

    python benchmarks/shared_rows.py [--vertices 65536 131072 ...] [--devices 1 4 ...] [--beside lookahead]

A solve counts from the graph on the devices to distances on the devices: allocation and starting values are included,
copies to the host are not. The clock is the host's, with all devices idle before and after. The graphs are random
digraphs of 8 arcs a vertex, since the stages take as long for any. Every device certifies its own rows.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from time import perf_counter
from typing import Any

import numpy as np

from warpath.certificates.on_device import DeviceCertifier
from warpath.device import open_device
from warpath.graphs.csr import Graph
from warpath.solvers import find
from warpath_study.datasets.generate import generate

TERA = 1e12
ARCS_A_VERTEX = 8
WARM_STAGES = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vertices", type=int, nargs="+", default=[65_536])
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--beside", nargs="*", default=[], help="variants that use one device, measured as well")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    options = parser.parse_args()
    device = open_device(options.device)
    print(f"{device.name}: random digraphs, {ARCS_A_VERTEX} arcs a vertex, one solve each, distances alone")
    shared_rows = find("floyd_warshall", "shared_rows")
    for vertices in options.vertices:
        graph = generate("random", vertices=vertices, arcs=ARCS_A_VERTEX * vertices, seed=1)
        for name in options.beside:
            measure(find("floyd_warshall", name).plan(device, graph, None, predecessors=False), name)
        seconds = {}
        for devices in options.devices:
            plan = shared_rows.plan(device, graph, None, devices=devices, predecessors=False)
            seconds[devices] = measure(plan, f"shared_rows, devices={devices}")
        for devices in sorted(seconds.keys() - {1}) if 1 in seconds else ():
            print(f"n = {vertices:7,}  {devices} devices are {seconds[1] / seconds[devices]:.2f} times as fast as one")


def measure(plan: Any, name: str) -> float:
    """Print the time of a solve, after some stages that do not count, and what the certificates say."""
    graph: Graph = plan.graph
    for iterations in (min(WARM_STAGES, plan.iterations), plan.iterations):
        plan.release()
        plan.device.release()
        began = perf_counter()
        plan.start(None)
        plan.iterate(0, iterations)
        plan.device.synchronize()
    plan.finish()
    plan.device.synchronize()
    seconds = perf_counter() - began
    rate = graph.vertices**3 / seconds / TERA
    print(f"n = {graph.vertices:7,}  {name:22s} {seconds:8.3f} s {rate:6.2f} T relaxations a second", flush=True)
    began = perf_counter()
    parts = getattr(plan, "shares", None)
    rows = (
        [(share.device, share.first_row, share.compact_distances()) for share in parts]
        if parts
        else [(plan.device, 0, plan.on_device().distances)]
    )
    with ThreadPoolExecutor() as pool:
        reached = sum(pool.map(lambda part: certify(graph, *part), rows))
    print(f"certified in {perf_counter() - began:.1f} s: {reached:,} pairs are connected", flush=True)
    del rows
    plan.release()
    return seconds


def certify(graph: Graph, device: Any, first: int, distances: Any) -> int:
    """Certify the rows of vertices ``first``, ``first`` + 1, ... where they are; says how many pairs are connected."""
    with device.current() if device.kind == "cuda" else nullcontext():
        sources = np.arange(first, first + len(distances))
        return DeviceCertifier(device, graph).certify(sources, distances).reached


if __name__ == "__main__":
    main()
