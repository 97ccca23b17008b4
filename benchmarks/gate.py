"""Did a change make warpath slower? Times solves and calls of two checkouts in turns on one GPU, and says for each.

    git worktree add --detach /tmp/before COMMIT
    python benchmarks/gate.py /tmp/before [--device cuda] [--rounds 11] [--only NAME ...] [--calls GRAPH ...] [--small]

A is the other checkout, B the one that this file lies in. Of eight solves, the launch-bound cells, launches and calls
take most of the time, of the other eight kernels and copies do. A sample is a whole solve, as the works time it, by the
device's clock. Of a call, a sample is one ``sssp`` of a prepared solver by the wall clock, each from another vertex
with arcs: "sssp" with all that a default call has, "sssp.distances" distances alone, "sssp.on_device" with arrays that
stay on the device, "sssp.bare" distances there alone. "cold" is ``warpath.sssp`` of a new Graph from arrays of the
host, "first" a bare one of a new Graph whose arrays are on the device before, "prepared" ``warpath.prepare`` of such a
graph and a bare call. ``--calls`` adds all these on graphs of files. The exit status is 1 if B is slower in a cell, or
a cell failed.

A round starts a process for each checkout, since a process may be a percent slower than another for as long as it
lives. Both prepare a cell; then they sample it in turns, A B B A, one waiting while the other works. The ratio of a
round is B's median over A's. The interval goes from the second least ratio of all rounds to the second greatest, so
that one disturbed round changes nothing; with eleven rounds it holds the true ratio in 98.8 % of all cases. With fewer
than eight rounds no ratio is left out. A cell is slower if the whole interval lies above 1.01, faster if below 0.99.
Nothing else should run on the machine.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import cycle, islice
from operator import attrgetter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
Samples = dict[str, list[float]]
MARGIN = 0.01
ROUNDS_TO_LEAVE_OUT = 8
TURN_S, TURN_SAMPLES_MIN = 0.1, 2
SOURCES_MAX = 1000
WARM_UP_S = 0.2
MILLISECONDS = 1000

# What the worker takes from warpath. Where the checkouts differ, give all places: the first that is there is taken.
PLACES = {
    "prepare": ["warpath:prepare"],
    "sssp": ["warpath:sssp"],
    "Graph": ["warpath.graphs.csr:Graph"],
    "resident": ["warpath.device.resident:resident"],
    "find": ["warpath.solvers:find"],
    "load": ["warpath.graphs.csr:load"],
    "make_ready": ["warpath_study.measure.sampling:make_ready"],
    "open_device": ["warpath.device:open_device"],
    "plan_of": [
        "warpath_study.measure.plans:plan_of",
        "warpath.solvers.variant:Configured.plan",
        "warpath.solvers.registry:Configured.plan",
    ],
    "timed_solve": ["warpath_study.measure.sampling:timed_solve"],
}
# What `warpath generate --kind` makes, and what it makes with --small.
GRAPHS = {
    "town": ("road --vertices 4000 --arcs 11000", "road --vertices 60 --arcs 150"),
    "county": ("road --vertices 30000 --arcs 80000", "road --vertices 300 --arcs 750"),
    "peers": ("gnutella --vertices 6000 --arcs 20000", "gnutella --vertices 90 --arcs 300"),
    "small_matrix": ("gnutella --vertices 400 --arcs 4000", "gnutella --vertices 40 --arcs 120"),
    "thousand": ("random --vertices 1000 --arcs 4000", "random --vertices 30 --arcs 90"),
    "ten_thousand": ("random --vertices 10000 --arcs 40000", "random --vertices 60 --arcs 200"),
    "matrix": ("gnutella --vertices 3000 --arcs 30000", "gnutella --vertices 70 --arcs 300"),
}


BARE = {"output": "device", "predecessors": False, "certify": False}
# Options of a call, by the name of a cell.
CALLS: dict[str, dict[str, Any]] = {
    "sssp": {},
    "sssp.on_device": {"output": "device"},
    "sssp.bare": BARE,
}
# Further ones, for graphs of files.
CALLS_OF_FILES: dict[str, dict[str, Any]] = {
    **CALLS,
    "sssp.distances": {"predecessors": False, "certify": False},
    "cold": {},
    "first": BARE,
    "prepared": BARE,
}


@dataclass(frozen=True)
class Cell:
    """A variant, or one of CALLS, on one of GRAPHS, and what takes most of its time."""

    variant: str
    graph: str
    bound: str
    settings: dict[str, int] = field(default_factory=dict, hash=False)


CELLS = (
    Cell("bellman_ford.naive", "town", "launch"),
    Cell("bellman_ford.stride_flag", "town", "launch"),
    Cell("floyd_warshall.super_naive", "small_matrix", "launch"),
    Cell("label_correcting.harish", "county", "launch"),
    Cell("label_correcting.locality", "county", "launch"),
    Cell("near_far.whole_grid", "peers", "launch"),
    Cell("partition.borders", "county", "launch"),
    Cell("contraction_hierarchy.sweep", "county", "launch"),
    Cell("dijkstra.naive", "small_matrix", "kernel"),
    Cell("floyd_warshall.tiled", "matrix", "kernel"),
    Cell("floyd_warshall.staged", "matrix", "kernel"),
    Cell("floyd_warshall.lookahead", "matrix", "kernel"),
    Cell("blocked_all_pairs.register_blocked", "matrix", "kernel"),
    Cell("blocked_all_pairs.out_of_core", "matrix", "kernel", {"device_memory_limit_mib": 32}),
    Cell("transitive_closure.bitset", "matrix", "kernel"),
    Cell("sparse_all_pairs.narrow", "peers", "kernel", {"predecessors": 0}),
    *(Cell(call, graph, "call") for graph in ("thousand", "ten_thousand", "county") for call in CALLS),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="a folder with another version of this repository")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=11, help="default: %(default)s")
    names = sorted({cell.variant for cell in CELLS} | CALLS_OF_FILES.keys())
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=names, default=names, help="these cells alone")
    parser.add_argument("--calls", type=Path, nargs="+", default=[], metavar="GRAPH", help="time calls on these too")
    parser.add_argument("--small", action="store_true", help="tiny graphs, to try this on the simulated GPU")
    options = parser.parse_args()
    given = [Cell(call, file.stem, "call") for file in options.calls for call in CALLS_OF_FILES]
    cells = [cell for cell in (*CELLS, *given) if cell.variant in options.only]
    samples: dict[Cell, list[Samples]] = {cell: [] for cell in cells}
    faults: dict[Cell, str] = {}
    began = perf_counter()
    with TemporaryDirectory() as folder:
        files = generated({cell.graph for cell in cells} & GRAPHS.keys(), Path(folder), options.small)
        files |= {file.stem: file.resolve() for file in options.calls}
        for turns in islice(cycle(("ABBA", "BAAB")), options.rounds):
            workers = {"A": Worker(options.other.resolve(), options.device), "B": Worker(ROOT, options.device)}
            devices = [worker.reply()["device"] for worker in workers.values()]
            for cell in (cell for cell in cells if cell not in faults):
                try:
                    samples[cell].append(samples_of(cell, files[cell.graph], workers, turns))
                except CellError as error:
                    faults[cell] = str(error)
            for worker in workers.values():
                worker.process.communicate()  # its input ends, and so does it
            print(f"{perf_counter() - began:.0f} s, {turns} on {devices[0]}", file=sys.stderr, flush=True)
    verdicts = {printed(cell, samples[cell], faults.get(cell)) for cell in cells}
    sys.exit(1 if {"slower", "failed"} & verdicts else 0)


def generated(names: set[str], folder: Path, small: bool) -> dict[str, Path]:
    """Files of the graphs ``names``, made in ``folder`` by this checkout."""

    def make(name: str) -> Path:
        file = folder / f"{name}.npz"
        command = [sys.executable, "-m", "warpath", "generate", "--kind", *GRAPHS[name][small].split()]
        subprocess.run([*command, "--output", file], env=environment(ROOT), stdout=subprocess.DEVNULL, check=True)
        return file

    with ThreadPoolExecutor() as pool:
        return dict(zip(names, pool.map(make, names), strict=True))


def environment(checkout: Path) -> dict[str, str]:
    """This environment, with ``checkout`` before whatever else is installed."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (f"{checkout}/src", os.getenv("PYTHONPATH"))))}


class CellError(Exception):
    """A checkout could not prepare a cell or solve it."""


class Worker:
    """A process that runs ``work`` with the warpath of ``checkout``; takes a command and gives a reply, a line each."""

    def __init__(self, checkout: Path, device: str):
        self.checkout = checkout
        command = [sys.executable, __file__, "--worker", f"{checkout}/src", device]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(checkout)
        )

    def send(self, *command: Any) -> None:
        print(json.dumps(command), file=self.process.stdin, flush=True)

    def reply(self) -> Any:
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.checkout}: its process ended with status {self.process.wait()}")
        return json.loads(line)


def samples_of(cell: Cell, graph: Path, workers: dict[str, Worker], turns: str) -> Samples:
    """Seconds of A's and of B's solves in one round. Both prepare at the same time, and then solve in ``turns``."""
    asked(workers.values(), "prepare", cell.variant, str(graph), cell.settings)
    seconds: Samples = {"A": [], "B": []}
    for name in turns:
        seconds[name] += asked([workers[name]], "sample")[0]["seconds"]
    return seconds


def asked(workers: Collection[Worker], *command: Any) -> list[Any]:
    """The replies of ``workers`` to ``command``. Raises CellError for one that failed, once all have replied."""
    for worker in workers:
        worker.send(*command)
    replies = [worker.reply() for worker in workers]
    for worker, reply in zip(workers, replies, strict=True):
        if "error" in reply:
            raise CellError(f"{worker.checkout}: {reply['error']}")
    return replies


def printed(cell: Cell, rounds: Sequence[Samples], fault: str | None) -> str:
    """Print the line of ``cell``; return its verdict."""
    what = f"{cell.variant} {cell.graph}" if cell.variant in CALLS_OF_FILES else cell.variant
    if fault:
        print(f"{cell.bound:6}  {what:36}failed: {fault}")
        return "failed"
    ratios = sorted(median(each["B"]) / median(each["A"]) for each in rounds)
    if len(ratios) >= ROUNDS_TO_LEAVE_OUT:
        ratios = ratios[1:-1]
    verdict = "slower" if ratios[0] > 1 + MARGIN else "faster" if ratios[-1] < 1 - MARGIN else "undecided"
    a, b = (MILLISECONDS * median(second for each in rounds for second in each[name]) for name in "AB")
    times = f"A {a:9.3f} ms  B {b:9.3f} ms  B/A {median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})"
    print(f"{cell.bound:6}  {what:36}{times}  {verdict}")
    return verdict


def work(source: str, device_name: str) -> None:
    """The worker: take commands from stdin until it ends, and reply on stdout."""
    replies, sys.stdout = sys.stdout, sys.stderr
    subject = Subject(device_name)
    imported = Path(import_module("warpath").__file__ or "").resolve()
    if not imported.is_relative_to(source):
        raise SystemExit(f"{imported} was imported in place of the warpath in {source}")
    print(json.dumps({"device": subject.device.name}), file=replies, flush=True)
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        try:
            reply = getattr(subject, command)(*arguments)
        except Exception as error:  # the other cells can still be measured
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


class Subject:
    """All that touches warpath: a device, and the plan of a cell on it, or its call."""

    def __init__(self, device_name: str):
        self.api = {name: found(places) for name, places in PLACES.items()}
        self.device = self.api["open_device"](device_name)
        self.plan: Any = None
        self.call: Callable[[Any], Any] | None = None
        self.ready: Callable[[], Any] = lambda: None

    def prepare(self, variant: str, graph_file: str, settings: dict[str, int]) -> dict[str, Any]:
        """Prepare a cell, and solve until kernels are compiled and clocks are high."""
        self.plan = self.call = None
        self.ready = lambda: None
        gc.collect()
        if variant in CALLS_OF_FILES:
            graph = replace(self.api["load"](graph_file), labels=None)  # which both versions ask by index
            self.set_call(variant, graph)
        else:
            self.plan = self.planned(variant, graph_file, settings)
        began = perf_counter()
        self.solved()
        while perf_counter() - began < WARM_UP_S and self.device.kind != "simulated":
            self.solved()
        return {}

    def set_call(self, variant: str, graph: Any) -> None:
        """Set ``call``, from the next vertex in turn, and what has to be ready before it, which is not timed."""
        with_arcs = np.flatnonzero(np.diff(graph.indptr))
        sources = cycle(np.random.default_rng(1).permutation(with_arcs)[:SOURCES_MAX].tolist())
        options, api, device = CALLS_OF_FILES[variant], self.api, self.device

        def copies() -> list[np.ndarray]:
            return [array.copy() for array in (graph.indptr, graph.indices, graph.weights)]

        def on_device() -> tuple[Any, Any]:
            fresh = api["Graph"](*copies())
            kept = api["resident"](device, fresh)
            assert kept.arguments
            return fresh, kept

        if variant == "cold":
            self.ready = copies
            self.call = lambda arrays: api["sssp"](api["Graph"](*arrays), next(sources), device=device)
        elif variant == "first":
            self.ready = on_device
            self.call = lambda found: api["sssp"](found[0], next(sources), device=device, **options)
        elif variant == "prepared":
            self.ready = on_device
            self.call = lambda found: api["prepare"](found[0], device).sssp(next(sources), **options)
        else:
            solver = api["prepare"](graph, device)
            self.call = lambda _: solver.sssp(next(sources), **options)

    def planned(self, variant: str, graph_file: str, settings: dict[str, int]) -> Any:
        configured = self.api["find"](*variant.split(".")).configured(settings)
        source = 0 if configured.variant.problem == "sssp" else None
        return self.api["plan_of"](configured, self.device, self.api["load"](graph_file), source)

    def sample(self) -> dict[str, list[float]]:
        """Solve for about TURN_S; the first solve comes after the other checkout's, and does not count."""
        self.solved()
        began, seconds = perf_counter(), list[float]()
        while len(seconds) < TURN_SAMPLES_MIN or perf_counter() - began < TURN_S:
            seconds.append(self.solved())
        return {"seconds": seconds}

    def solved(self) -> float:
        """Seconds of one solve or call."""
        if self.call:
            before = self.ready()
            self.device.synchronize()
            began = perf_counter()
            self.call(before)
            self.device.synchronize()
            return perf_counter() - began
        self.api["make_ready"](self.plan, self.device)
        try:
            return self.api["timed_solve"](self.plan, self.device)[0].total_s
        finally:
            self.plan.release()


def found(places: Sequence[str]) -> Any:
    """The object at the first of ``places``, MODULE:NAME, that is there."""
    for place in places:
        module, _, name = place.partition(":")
        try:
            return attrgetter(name)(import_module(module))
        except (ImportError, AttributeError) as error:
            last = error
    raise last


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(*sys.argv[2:])
    else:
        main()
