"""How long does each solver that may be the best take? Records first and later calls, for fitting and testing costs.

    python benchmarks/solver_times.py FOLDER [--families NAME ...] [--vertices 1024 ...] [--weights NAME ...]
                                      [--seconds 600] [--seed 1] [--device cuda]

FOLDER/graphs.csv receives a row for each graph of ``families.py``, with the facts by which a solver is chosen, and
FOLDER/times.csv one for each graph, request and solver. A request is a number of sources ("16"), with a tree of each
("16 trees"), a table of sources and targets ("16 x 16"), "all pairs", or the "first" call on a graph that the library
has not seen but whose arrays are on the device. Times are microseconds until the answer is on the device, without a
certificate: the median of a few calls, by turns with the other solvers; what takes long is called once. A time is "inf"
if the solver does not fit the graph or refuses the request, or if its cost is many times that of another one. A program
that is started again goes on after the last graph in the folder; it ends after so many seconds.

A third of the families, drawn at random, is kept aside: costs are not fitted to them.
"""

import argparse
import csv
import os
import random
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import product
from math import inf
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from families import FAMILIES, make
from first_calls import copy_of, uploaded
from recorded_times import KIND, ONE_SOURCE, REACHED, wanted_by

from warpath.device import Device, open_device
from warpath.device.resident import Resident
from warpath.errors import WarpathError
from warpath.graphs.csr import Graph
from warpath.library.calls import allocated
from warpath.library.solver import Solver
from warpath.solvers import find
from warpath.solvers.choice.choose import MANY, drop_solvers, named, ranked
from warpath.solvers.choice.facts import facts_of
from warpath.solvers.costs import Facts
from warpath.solvers.solver import RowSolver

KEPT_ASIDE = sorted(random.Random(2).sample(sorted(FAMILIES), len(FAMILIES) // 3))
WHOLE_VERTICES = [2**bits for bits in (10, 12, 14, 16, 18, 20, 22)]
FLOAT_VERTICES = [2**bits for bits in (11, 15, 19)]
ARCS_MAX, SAMPLE_VERTICES = 2**26, 2**10
DENSE_VERTICES_MAX = 2**14  # of all pairs

ON_CPU = ("dijkstra.heap", "dijkstra.small")
MANY_SOURCES = ("label_correcting.batch", "sparse_all_pairs.narrow", "contraction_hierarchy.sweep")
TABLES = "contraction_hierarchy.sweep"
ALL_PAIRS = ("floyd_warshall.lookahead", "floyd_warshall.narrow")
VERTICES_MAX = {TABLES: 2**20}  # Above, it takes minutes to prepare.

TIMES, TURNS, FIRST_TIMES = 3, 2, 3
LONG_S, VERY_LONG_S = 0.1, 1.0  # What takes longer is called once, and not a second time if it takes very long.
COSTLY = 30  # times the least cost
US = 1_000_000
LOADED: set[tuple[str, Any]] = set()  # solvers and types of weights whose kernels have been called in this process
GRAPH_FIELDS = (
    *("family", "weights", "wanted", "seed", "kept_aside"),
    *(fact.name for fact in fields(Facts)),
    *REACHED,
)
TIME_FIELDS = ("family", "weights", "wanted", "request", "solver", "us")


@dataclass(frozen=True)
class Request:
    """So many sources, to all vertices with or without trees, to ``targets``, or from all (``sources`` is None)."""

    sources: int | None
    trees: bool = False
    targets: int | None = None

    def __str__(self) -> str:
        if self.sources is None:
            return "all pairs"
        return f"{self.sources} x {self.targets}" if self.targets else f"{self.sources}{' trees' * self.trees}"

    @property
    def solvers(self) -> tuple[str, ...]:
        """Those that are measured: a solver of one source takes as long as often as it is called."""
        if self.targets:
            return (TABLES,)
        if self.sources is None:
            return MANY_SOURCES + ALL_PAIRS
        return MANY_SOURCES if self.sources > 1 else ONE_SOURCE + MANY_SOURCES + ON_CPU


ONE, ALL = Request(1), Request(None)


def requests(graph: Graph) -> list[Request]:
    """What is measured on a graph; less on larger ones."""
    found = [ONE, Request(1, trees=True), Request(16)]
    if graph.vertices <= 2**20:
        found += [Request(16, trees=True), Request(256)]
    if graph.vertices <= 2**18 and not graph.has_floats:
        found += [Request(1, targets=1), Request(16, targets=16), Request(256, targets=256)]
    return [*found, ALL] if graph.vertices <= DENSE_VERTICES_MAX else found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where graphs.csv and times.csv are")
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES), help="default: all")
    parser.add_argument("--vertices", nargs="+", type=int, help="default: 2^10 to 2^22, fewer of floats")
    parser.add_argument("--weights", nargs="+", default=["1 to 1,000", "floats"], help="default: whole ones and floats")
    parser.add_argument("--seconds", type=float, default=600, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    options = parser.parse_args()
    until = perf_counter() + options.seconds
    options.folder.mkdir(parents=True, exist_ok=True)
    graphs, times = options.folder / "graphs.csv", options.folder / "times.csv"
    done = {(row["family"], row["weights"], int(row["wanted"])) for row in rows_of(graphs)}
    wanted = [
        (family, weights, vertices)
        for weights in options.weights
        for vertices in options.vertices or (FLOAT_VERTICES if weights == "floats" else WHOLE_VERTICES)
        for family in options.families
        if (family, weights, vertices) not in done and not is_large(family, vertices)
    ]
    wanted.sort(key=lambda graph: graph[2])
    # Workers start before the GPU is opened, and make graphs ahead.
    with ProcessPoolExecutor(max(1, len(os.sched_getaffinity(0)) // 2), get_context("spawn")) as workers:
        made: dict[tuple, Future[Graph]] = {}
        device: Device | None = None
        for number, name in enumerate(wanted):
            for ahead in wanted[number : number + (16 if name[2] <= 2**18 else 4)]:
                if ahead not in made:
                    made[ahead] = workers.submit(graph_of, *ahead, options.seed)
            graph = made[name].result()
            made[name] = Future()  # frees the graph
            device = device or open_device(options.device)
            if perf_counter() > until:
                workers.shutdown(wait=False, cancel_futures=True)
                sys.exit(f"{len(wanted) - number} graphs are left: start the program again")
            began = perf_counter()
            family, weights, vertices = name
            place = {"family": family, "weights": weights, "wanted": vertices}
            known = uploaded(device, graph)
            found, facts = measured(known, options.seed), told_facts(known) | watched(known, options.seed)
            rows = [{"request": request, "solver": name, "us": f"{US * s:.4g}"} for (request, name), s in found.items()]
            append(times, TIME_FIELDS, [place | row for row in rows])
            facts |= {"seed": options.seed, "kept_aside": family in KEPT_ASIDE}
            append(graphs, GRAPH_FIELDS, [place | facts])
            print(f"{', '.join(map(str, name))}: {perf_counter() - began:.1f} s", flush=True)


def is_large(family: str, vertices: int) -> bool:
    """Whether a graph has too many arcs; a dense one has no more vertices than the largest of all pairs."""
    if family == "dense":
        return vertices > DENSE_VERTICES_MAX
    sample = make(family, SAMPLE_VERTICES)
    return sample.arcs * vertices > ARCS_MAX * SAMPLE_VERTICES


def graph_of(family: str, weights: str, vertices: int, seed: int) -> Graph:
    graph = make(family, vertices, weights, seed)
    if weights == "floats" and not graph.has_floats:  # a family with weights of its own
        graph = Graph(graph.indptr, graph.indices, (graph.weights / 3).astype(np.float32))
    return graph


def told_facts(known: Resident) -> dict[str, Any]:
    facts = asdict(facts_of(known))
    return facts | {"levels": f"{facts['levels']:.6g}"}


def watched(known: Resident, seed: int) -> dict[str, str]:
    """The share of the vertices that a first call reaches in its first steps, or 1 if it has ended."""
    source = int(np.random.default_rng(seed).choice(np.flatnonzero(np.diff(known.graph.indptr))))
    into = allocated(known.device.empty, known.graph, 1, False)
    found = {}
    for name, steps in REACHED.items():
        ended, reached = solver_of(known, "near_far.queue").begin(source, into, steps)
        found[name] = "1" if ended else f"{reached:.4g}"
    drop_solvers(known)
    return found


def measured(known: Resident, seed: int) -> dict[tuple[str, str], float]:
    """The seconds of each request, and of the first call, by each solver; infinite if it does not solve it."""
    graph, draw = known.graph, np.random.default_rng(seed)
    with_arcs, wanted = np.flatnonzero(np.diff(graph.indptr)), requests(graph)
    names = {request: worth_while(facts_of(known), request) for request in wanted}
    found: dict[tuple[str, str], float] = {}
    times: dict[tuple[str, str], list[float]] = defaultdict(list)
    solvers: dict[str, Solver] = {}

    def call(request: Request, name: str) -> float | None:
        sources = draw.choice(with_arcs, request.sources or 1)
        return timed(solvers[name], name, request, sources, draw)

    def first(name: str) -> float | None:
        solvers[name] = Solver(copy_of(graph), known.device, prepared=0)
        uploaded(known.device, solvers[name].graph)
        return call(ALL if name in ALL_PAIRS else ONE, name)

    for name in dict.fromkeys(name for request in wanted for name in request.solvers):
        if any(name in some for some in names.values()) and fits(known, name):
            if (name, graph.weights.dtype) not in LOADED:
                first(name)
                LOADED.add((name, graph.weights.dtype))
            found["first", name] = middle(several(partial(first, name), FIRST_TIMES))
    for turn, request in product(range(TURNS), wanted):
        for name in request.solvers:
            some = times[str(request), name]
            if name in solvers and name in names[request] and (not turn or (some and some[-1] <= LONG_S)):
                some += several(partial(call, request, name), TIMES)
    for solver in solvers.values():
        drop_solvers(solver.resident)
    return found | {key: middle(some) for key, some in times.items()}


def several(call: Callable[[], float | None], count: int) -> list[float]:
    """The seconds of some calls, after one that loads kernels and caches; none if the call is refused."""
    seconds = call()
    if seconds is None:
        return []
    if seconds > VERY_LONG_S:
        return [seconds]
    found = [call() for _ in range(1 if seconds > LONG_S else count)]
    return [seconds for seconds in found if seconds is not None]


def middle(seconds: list[float]) -> float:
    return median(seconds) if seconds else inf


def worth_while(facts: Facts, request: Request) -> set[str]:
    """The solvers of a request, without those of many times the least cost of a call, prepared or not."""
    ranking = ranked(facts, wanted_by(str(request), facts), KIND, MANY)
    found = set()
    for calls in (1, MANY):
        costs = {name: cost.of_calls(calls) for name, cost in ranking}
        found |= {name for name, cost in costs.items() if cost <= COSTLY * min(costs.values())}
    return {name for name in found & {*request.solvers} if facts.vertices <= VERTICES_MAX.get(name, facts.vertices)}


def fits(known: Resident, name: str) -> bool:
    """Whether the library may choose a solver. Some take minutes until they refuse a graph."""
    variant = find(*name.split("."))
    return variant.takes(known.graph) and (variant.fits is None or variant.fits(known, facts_of(known)))


def solver_of(known: Resident, name: str) -> RowSolver:
    choice = named("sssp", known.device, *name.split("."))
    assert choice
    return choice.solver(known)


def call(solver: Solver, name: str, request: Request, sources: np.ndarray, draw: np.random.Generator) -> Any:
    algorithm, variant = name.split(".")
    how: dict[str, Any] = {"algorithm": algorithm, "variant": variant, "output": "device", "certify": False}
    if request.targets:
        targets = draw.integers(0, solver.graph.vertices, request.targets).astype(np.int32)
        chosen = solver_of(solver.resident, name)
        distances = solver.device.empty((len(sources), len(targets)), solver.graph.weights.dtype)
        chosen.solve_table(sources.astype(np.int32), targets, distances)
        return distances
    if request.sources is None:
        return solver.apsp(predecessors=False, **how)
    return solver.sssp(int(sources[0]) if request.sources == 1 else sources, predecessors=request.trees, **how)


def timed(solver: Solver, name: str, request: Request, sources: np.ndarray, draw: np.random.Generator) -> float | None:
    """The seconds of a call; None if the solver refuses it."""
    solver.device.synchronize()
    began = perf_counter()
    try:
        answer = call(solver, name, request, sources, draw)
    except WarpathError:
        return None
    solver.device.synchronize()
    seconds = perf_counter() - began
    del answer
    return seconds


def rows_of(file: Path) -> list[dict[str, str]]:
    if not file.exists():
        return []
    with open(file, newline="", encoding="utf-8") as rows:
        return list(csv.DictReader(rows))


def append(file: Path, fields: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    is_new = not file.exists()
    with open(file, "a", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, fields, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
