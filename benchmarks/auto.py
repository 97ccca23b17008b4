"""How much does the library's own choice lose to the best of the alternatives? Prints medians and ratios.

    python benchmarks/auto.py [GRAPH ...] [--families [NAME ...]] [--vertices 1024 65536] [--weights NAME ...]
                              [--seed 1] [--sources 1 16 256] [--unprepared] [--all-pairs] [--negative]
                              [--without NAME ...] [--gapbs] [--device cuda] [--seconds 60]

A GRAPH is a file, or a generated dataset of the catalog; families are those of ``families.py``. A time is that of a
later call on the same graph, without predecessors and certificate, until the distances are on the device. What a solver
prepares is part of its first call, which is shown apart. With ``--unprepared`` a time is that of a first call of
``warpath.sssp``, for which each graph is a new object whose arrays are on the device already; what a solver makes for
the graph is part of it. With ``--gapbs``, calls of gapbs from one source are an alternative, too, with its fastest
delta and number of threads. The solvers are timed in turn, because the speed of a machine changes. The exit status is 1
if the choice takes more than 1.3 times as long as the best, or if an answer differs from that of the choice.
"""

import argparse
import sys
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import islice, product, repeat
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from families import FAMILIES, WEIGHTS, make
from first_calls import copy_of, uploaded

import warpath
from warpath.device import Device, open_device
from warpath.errors import GraphError, WarpathError
from warpath.graphs.csr import Graph
from warpath.graphs.weights import with_random_weights
from warpath.library.solver import Solver
from warpath_study.datasets import catalog
from warpath_study.datasets.generate import generate
from warpath_study.datasets.weight_rules import with_drawn
from warpath_study.peers import find_peer
from warpath_study.peers.contract import MissingPeerError, without_parallel_arcs

MILLISECONDS = 1000
ON_CPU, VERTICES_ON_CPU_MAX = "dijkstra.heap", 2**16
RATIO_MAX = 1.3
CALLS, TURNS = 9, 3
CHOICE = "the choice"

# What may be the best somewhere.
FROM_SOURCES = (
    "label_correcting.batch",
    "label_correcting.cluster",
    "near_far.queue",
    "near_far.whole_grid",
    "partition.borders",
    "sparse_all_pairs.narrow",
    "contraction_hierarchy.sweep",
)
WITH_NEGATIVE_ARCS = (
    "label_correcting.four_arcs",
    "label_correcting.locality",
    "label_correcting.harish",
    "bellman_ford.stride_flag",
)
ALL_PAIRS = (
    "sparse_all_pairs.narrow",
    "contraction_hierarchy.sweep",
    "floyd_warshall.staged",
    "floyd_warshall.lookahead",
    "floyd_warshall.narrow",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="*", help="a graph file, or a generated dataset of the catalog")
    parser.add_argument("--families", nargs="*", choices=FAMILIES, help="all of them, or those that are named")
    parser.add_argument("--vertices", type=int, nargs="*", default=[2**10, 2**16], help="of each family")
    parser.add_argument("--weights", nargs="*", choices=WEIGHTS, default=["1 to 100"], help="of each family")
    parser.add_argument("--seed", type=int, default=1, help="of the families' graphs (default: 1)")
    parser.add_argument("--unprepared", action="store_true", help="first calls, without prepare")
    parser.add_argument("--sources", type=int, nargs="*", default=[1], help="how many at once (default: 1)")
    parser.add_argument("--all-pairs", action="store_true", help="all pairs, too")
    parser.add_argument("--negative", action="store_true", help="the same graphs with negative arcs, too")
    parser.add_argument("--without", nargs="*", default=[], metavar="NAME", help="alternatives to leave out")
    parser.add_argument("--gapbs", action="store_true", help="compare with gapbs, too; the CPU must be idle")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=60, help="for all alternatives together (default: 60)")
    options = parser.parse_args()
    device = open_device(options.device)
    graphs: dict[str, Callable[[], Graph]] = {Path(name).name: partial(named, name) for name in options.graph}
    if options.families is not None:
        for family, vertices, weights in product(options.families or FAMILIES, options.vertices, options.weights):
            title = f"{family}, {vertices:,} vertices, weights {weights}"
            graphs[title] = partial(make, family, vertices, weights, options.seed)
    load_solver_of_cpu(device)
    until, ratios = perf_counter() + options.seconds, dict[str, float]()
    for title, graph in graphs.items():
        for negative in (False, True) if options.negative else (False,):
            made = with_negative_arcs(graph()) if negative else graph()
            solvers = (fresh_solvers if options.unprepared else same_solver)(made, device)
            for count in [*options.sources, *([None] if options.all_pairs else [])]:
                full_title = f"{title}{', negative arcs' * negative}"
                with_gapbs = options.gapbs and count == 1 and not negative and not made.has_floats
                ratio = row(full_title, solvers, count, until, options.without, with_gapbs)
                if ratio:
                    ratios[f"{full_title}, {count or 'all'} sources"] = ratio
    slow = {title: ratio for title, ratio in ratios.items() if ratio > RATIO_MAX}
    for title, ratio in slow.items():
        print(f"{title}: {ratio:.2f} times the best")
    most = max(ratios.values(), default=1.0)
    print(f"{len(ratios)} rows with all alternatives; auto loses at most {most:.2f} times (limit {RATIO_MAX})")
    sys.exit(1 if slow else 0)


def load_solver_of_cpu(device: Device) -> None:
    """Load it for the types of the families' weights, as kernels are loaded. A first call asks whether it is."""
    algorithm, variant = ON_CPU.split(".")
    for weights in ("1 to 100", "floats"):
        Solver(make("chain", 64, weights), device).sssp(0, algorithm=algorithm, variant=variant)


def row(
    title: str, solvers: Iterator[Solver], count: int | None, until: float, without: Collection[str], with_gapbs: bool
) -> float | None:
    """Measure the choice and its alternatives for ``count`` sources, None for all pairs, and print them.

    Returns how often the time of the best fits into that of the choice; None if an alternative was left out, infinity
    if an answer differs. A first call of the choice also chooses. The alternatives, the chosen solver among them, are
    called by their names.
    """
    solver = next(solvers)
    vertices, device = solver.graph.vertices, solver.device
    sources = np.linspace(0, vertices, count or 1, endpoint=False, dtype=np.int64)
    names: tuple[str, ...] = ALL_PAIRS
    if count is not None:
        names = WITH_NEGATIVE_ARCS if solver.graph.weight_min < 0 else FROM_SOURCES
        if count == 1:
            names = FROM_SOURCES + WITH_NEGATIVE_ARCS
            if vertices <= VERTICES_ON_CPU_MAX:
                names += (ON_CPU,)

    def call(name: str | None, solver: Solver) -> Any:
        algorithm, variant = name.split(".") if name else (None, None)
        how: dict[str, Any] = {"algorithm": algorithm, "variant": variant, "predecessors": False}
        how |= {"output": "device", "certify": False}
        return solver.apsp(**how) if count is None else solver.sssp(0 if count == 1 else sources, **how)

    try:
        chosen = call(None, solver)
    except GraphError as error:  # distances beyond 32 bits
        print(f"{title}: {error}")
        return None
    expected = part_on_host(chosen.distances)
    print(f"{title}, {count or 'all'} sources: auto takes {chosen.variant} ({chosen.reason})", flush=True)
    ways: dict[str, Callable[[Solver], Any]] = {}
    first_s: dict[str, float] = {}
    is_complete, is_wrong = True, False
    for name in (None, chosen.variant, *(name for name in names if name != chosen.variant and name not in without)):
        title_of = name or CHOICE
        if ways and name != chosen.variant and perf_counter() > until:
            print(f"    {title_of:28} left out: no time")
            is_complete = False
            continue
        way, solver, began = partial(call, name), next(solvers), perf_counter()
        try:
            answer = way(solver)
        except WarpathError:
            print(f"    {title_of:28} does not solve it")
            continue
        ways[title_of], first_s[title_of] = way, perf_counter() - began
        if not np.array_equal(part_on_host(answer.distances), expected):
            print(f"    {title_of:28} WRONG")
            is_wrong = True
        del answer
    times: dict[str, list[float]] = {title_of: [] for title_of in ways}
    for turn, (title_of, way) in product(range(TURNS), ways.items()):
        # The first calls after another solver's take longer. They are not timed, unless they take long anyway.
        untimed, calls = 0, 1 if first_s[title_of] < 2 or turn == 0 else 0
        if first_s[title_of] < 0.2:
            untimed, calls = 2, CALLS // TURNS
        times[title_of] += times_ms(islice(solvers, untimed + calls), way)[untimed:]
    found = {title_of: median(some) for title_of, some in times.items()}
    for title_of, ms in found.items():
        print(f"    {title_of:28} {ms:10.3f} ms, first call {first_s[title_of]:.2f} s", flush=True)
    if with_gapbs:
        try:
            found["gapbs"], settings, answer = gapbs_ms(solver.graph, device)
            differs = not np.array_equal(part_on_host(answer), expected)
            is_wrong |= differs
            print(f"    {'gapbs':28} {found['gapbs']:10.3f} ms, {settings}{', WRONG' * differs}", flush=True)
        except MissingPeerError as error:
            print(f"    {'gapbs':28} {error}")
    ratio = found[CHOICE] / min(found.values())
    print(f"    auto / best: {ratio:.2f}")
    return float("inf") if is_wrong else ratio if is_complete else None


def same_solver(graph: Graph, device: Device) -> Iterator[Solver]:
    """One solver, which is prepared, again and again."""
    return repeat(Solver(graph, device, prepared=True))


def fresh_solvers(graph: Graph, device: Device) -> Iterator[Solver]:
    """Solvers of graphs that the library does not know, and whose arrays are on the device."""
    while True:
        fresh = copy_of(graph)
        kept = uploaded(device, fresh)
        yield Solver(fresh, device, prepared=False)
        del kept  # before the next one


def times_ms(solvers: Iterator[Solver], call: Callable[[Solver], Any]) -> list[float]:
    """The wall clock's times of ``call`` with each of ``solvers``."""
    found = []
    for solver in solvers:
        solver.device.synchronize()
        began = perf_counter()
        answer = call(solver)
        solver.device.synchronize()
        found.append(MILLISECONDS * (perf_counter() - began))
        del answer
    return found


def gapbs_ms(graph: Graph, device: Device) -> tuple[float, str, np.ndarray]:
    """The time of gapbs from vertex 0, its settings, and its distances."""
    peer = find_peer("gapbs")
    peer.version()
    alone = without_parallel_arcs(graph)
    form = peer.prepare(alone, device)
    settings = dict(peer.tune(form))
    form = peer.prepare(alone, device, **settings)
    times = []
    for _ in range(CALLS):
        began = perf_counter()
        answer = peer.solve(form, 0)
        times.append(MILLISECONDS * (perf_counter() - began))
    told = ", ".join(f"{name} {value}" for name, value in settings.items())
    return median(times), told, peer.distances(answer, form)


def named(name: str) -> Graph:
    if Path(name).suffix:
        return warpath.read(name)
    dataset = catalog.dataset(name)
    if dataset.origin:
        assert dataset.weights is not None  # no part of a graph is measured here
        return with_drawn(named(dataset.origin), dataset.weights)
    graph = generate(dataset.generator or "", **dataset.parameters)
    assert isinstance(graph, Graph)
    return graph if dataset.weighted else with_random_weights(graph, seed=1)


def with_negative_arcs(graph: Graph) -> Graph:
    """``graph`` with weights shifted by heights of the vertices: paths keep their order, cycles their length.

    Weights so large that sums along a path could leave 32 bits are divided first.
    """
    heaviest = min(graph.weight_max, 2**30 // max(1, graph.vertices))
    lighter = graph.weights.astype(np.int64) * heaviest // max(1, graph.weight_max)
    heights = np.random.default_rng(1).integers(0, max(2, heaviest // 2), graph.vertices)
    weights = lighter + heights[graph.tails()] - heights[graph.indices]
    return Graph(graph.indptr, graph.indices, weights.astype(np.int32))


def part_on_host(array: Any) -> np.ndarray:
    """A small part of an answer of any size, by a copy from the device."""
    array = array.reshape(-1)
    part = array[:: max(1, len(array) // 1_000_003)]
    return part if isinstance(part, np.ndarray) else part.get()


if __name__ == "__main__":
    main()
