"""How long do warpath and other libraries take on graphs of many families, sizes and types of weights?

    python benchmarks/peers.py [FAMILY:VERTICES[:WEIGHTS] | GRAPH ...] [--draw 0] [--peers NAME ...]
                               [--types int32 float64] [--sources 16] [--seed N] [--seconds 2] [--device cuda]
                               [--cache FOLDER] [--make]

A GRAPH is a file; families and weights are those of ``families.py``. ``--draw`` adds so many graphs of 2^14 to 2^22
vertices, of families to which no cost was fitted, with drawn weights. The seed draws them, and all graphs and sources;
it is drawn, too, if it is not given. Graphs are kept in FOLDER, if it is named; with ``--make`` nothing is measured.

Times are of public calls by the wall clock, in milliseconds, until the answer is in host memory; every library gets the
CSR arrays in host memory, without parallel arcs. "first answer" is from these arrays, with preparation: the median of
three, or of fewer if they take more than five seconds. "a call" is the median over random sources with arcs, with the
10th and 90th percentile. Two further rows are calls of warpath on a graph that it does not know: "warpath, cold" is its
default call from arrays in host memory, and "warpath, first" finds distances from arrays on the GPU and leaves them
there. All take turns from the same sources: each turn begins with another one, and each solves for 10 ms before its
turn is timed. SECONDS limit the time for the sources of one library, so that a slow one has fewer of them. The ratio is
the time of the fastest other library over that of a call of warpath, the median over the sources that both have, with
an interval of 95 %. float64 weights are thirds of the whole ones. All answers are compared with those of "warpath,
cold", which are certified. The last table has all ratios, the least first.
"""

import argparse
import random
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from families import WEIGHTS
from first_calls import copy_of, graph_of, uploaded, with_weights_of
from solver_times import ARCS_MAX, KEPT_ASIDE

import warpath
from warpath.device import Device, open_device
from warpath.distances import UNREACHABLE
from warpath.errors import WarpathError
from warpath.graphs.csr import Graph
from warpath.system.arrays import on_host
from warpath_study.measure.compare import paired_interval, paired_times
from warpath_study.measure.heading import heading
from warpath_study.measure.turns import CACHES_S
from warpath_study.peers import find_peer, peer_names
from warpath_study.peers.contract import without_parallel_arcs
from warpath_study.peers.warpath import new_graph
from warpath_study.report.verdicts import ERROR_OF_AN_END, FASTER, NO_DIFFERENCE, SLOWER

MILLISECONDS = 1000
FIRST_ANSWERS, FIRST_ANSWERS_S = 3, 5
HEAVY = ("R-MAT, degree 32", "geometric, degree 30")
DEFAULT = [
    "road:1048576",
    "grid:1048576",
    "grid 3D:1048576",
    "geometric:524288:lengths",
    "small world:1048576",
    "random, degree 4:1048576",
    "R-MAT:1048576",
    "tree:1048576",
]
BARE = {"predecessors": False, "certify": False, "output": "device"}


@dataclass
class Call:
    """What takes turns: ``make`` makes the form for a turn, which is not timed, and ``solve`` is timed."""

    title: str
    is_ours: bool
    make: Callable[[], Any]
    solve: Callable[[Any, int], Any]
    distances: Callable[[Any, Any], np.ndarray]
    note: str = ""
    firsts_s: list[float] = field(default_factory=list)
    times: dict[int, float] = field(default_factory=dict)

    def timed(self, source: int) -> tuple[float, Callable[[], np.ndarray]]:
        """The time of a solve, and what returns its distances until the next one."""
        form = self.make()
        began = perf_counter()
        answer = self.solve(form, source)
        return perf_counter() - began, lambda: numbers(self.distances(answer, form))

    def fill_caches(self, source: int) -> None:
        spent = 0.0
        while spent < CACHES_S:
            spent += self.timed(source)[0]

    def goes_on(self, seconds: float) -> bool:
        return not self.times or sum(self.times.values()) * (1 + 1 / len(self.times)) <= seconds


@dataclass
class Ratio:
    """The time of the fastest other library over that of a call of warpath."""

    graph: str
    title: str
    other: str
    value: float
    interval: tuple[float, float] | None

    def told(self) -> str:
        if self.interval is None:
            return f"{self.value:8.2f}"
        low, high = self.interval
        verdict = FASTER if low > 1 else SLOWER if high < 1 else NO_DIFFERENCE
        return f"{self.value:8.2f} ({low:.2f} to {high:.2f})  {verdict}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("graph", nargs="*", help="FAMILY:VERTICES[:WEIGHTS], or a file")
    parser.add_argument("--draw", type=int, default=0, help="so many graphs of families kept aside")
    parser.add_argument("--peers", nargs="*", default=peer_names(), choices=peer_names(), help="default: all")
    parser.add_argument("--types", nargs="*", default=["int32"], choices=["int32", "float64"])
    parser.add_argument("--sources", type=int, default=16, help="random sources (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of graphs and sources (default: a drawn one)")
    parser.add_argument("--seconds", type=float, default=2, help="for the sources of one library (default: 2)")
    parser.add_argument("--device", default="cuda", help="default: %(default)s")
    parser.add_argument("--cache", type=Path, help="a folder for generated graphs")
    parser.add_argument("--make", action="store_true", help="only make the graphs")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = secrets.randbelow(10**6)
    device = None if options.make else open_device(options.device)
    if device is not None:
        print(heading(device.name, device.kind), flush=True)
    print(f"seed {options.seed}", flush=True)
    given = options.graph or ([] if options.draw else DEFAULT)
    ratios: list[Ratio] = []
    for name in [*given, *drawn(options.draw, options.seed)]:
        graph = graph_of(name, options.seed, options.cache)
        if device is None:
            continue
        graph = without_parallel_arcs(graph)
        for kind in options.types:
            print(f"{name}: {graph.vertices:,} vertices, {graph.arcs:,} arcs, {kind}, on {device.name}", flush=True)
            ratios += compared(f"{name}, {kind}", with_weights_of(graph, kind), device, options)
    for ratio in sorted(ratios, key=lambda each: each.value):
        print(f"{ratio.graph:44} {ratio.title:22} {ratio.other:16} {ratio.told()}")


def drawn(count: int, seed: int) -> list[str]:
    """The names of ``count`` graphs."""
    lot, names = random.Random(seed), list[str]()
    while len(names) < count:
        family, vertices = lot.choice(KEPT_ASIDE), 2 ** lot.randint(14, 22)
        weights = lot.choice([name for name in WEIGHTS if name != "floats"])
        name = f"{family}:{vertices}:{weights}"
        if name not in names and (family not in HEAVY or 32 * vertices <= ARCS_MAX):
            names.append(name)
    return names


def compared(name: str, graph: Graph, device: Device, options: argparse.Namespace) -> list[Ratio]:
    """Print a line for each library; return the ratios of warpath's calls."""
    lot = np.random.default_rng(options.seed)
    with_arcs = np.flatnonzero(np.diff(graph.indptr))
    sources = lot.permutation(with_arcs)[: options.sources].tolist()
    calls = [*cold_calls(graph, device)]
    for peer in options.peers:
        if graph.weights.dtype != np.int32 and peer == "routingkit":  # which would need whole weights
            continue
        try:
            calls.append(prepared(peer, graph, device, sources[0]))
        except (WarpathError, MemoryError) as error:
            print(f"    {find_peer(peer).title:22}{error}", flush=True)
    take_turns(calls, sources, options.seconds)
    calls = [call for call in calls if call.times]
    others = [call for call in calls if not call.is_ours]
    fastest = min(others, key=lambda call: median(call.times.values()), default=None)
    print(f"    {'':22}first answer      a call (10 % to 90 %)      {fastest.title if fastest else ''}'s / its own")
    found = []
    for call in sorted(calls, key=lambda call: median(call.times.values())):
        first = f"{MILLISECONDS * median(call.firsts_s):14.3f}" if call.firsts_s else 14 * " "
        low, middle, high = (MILLISECONDS * time for time in np.quantile([*call.times.values()], (0.1, 0.5, 0.9)))
        line = f"{first} {middle:12.3f} ({low:.3f} to {high:.3f})"
        if call.is_ours and fastest:
            found.append(ratio_of(name, call, fastest))
            line = f"{line:52}{found[-1].told()}"
        line += f"  {len(call.times)} sources" * (len(call.times) < len(sources))
        print(f"    {call.title:22}{line}{call.note}", flush=True)
    return found


def cold_calls(graph: Graph, device: Device) -> tuple[Call, Call]:
    """Calls of warpath on graphs that it does not know."""

    def on_device() -> tuple[Graph, Any]:
        fresh = copy_of(graph)
        return fresh, uploaded(device, fresh)

    def bare(form: tuple[Graph, Any], source: int) -> Any:
        answer = warpath.sssp(form[0], source, device=device, **BARE)
        device.synchronize()
        return answer

    def distances(answer: Any, form: Any) -> np.ndarray:
        return on_host(answer.distances)

    cold = Call(
        "warpath, cold",
        True,
        lambda: copy_of(graph),
        lambda form, source: warpath.sssp(new_graph(form), source, device=device),
        distances,
    )
    return cold, Call("warpath, first", True, on_device, bare, distances)


def prepared(name: str, graph: Graph, device: Device, source: int) -> Call:
    """A library with its graph. Raises WarpathError if it is not installed or does not take the graph."""
    peer = find_peer(name)
    peer.version()
    form = peer.prepare(copy_of(graph), device)
    settings = dict(peer.tune(form))
    peer.solve(form, source)
    firsts_s: list[float] = []
    while len(firsts_s) < FIRST_ANSWERS and sum(firsts_s) < FIRST_ANSWERS_S:
        del form
        fresh, began = copy_of(graph), perf_counter()
        form = peer.prepare(fresh, device, **settings)
        peer.solve(form, source)
        firsts_s.append(perf_counter() - began)
    note = "".join(f"  {setting} {value}" for setting, value in settings.items())
    return Call(peer.title, peer.is_warpath, lambda: form, peer.solve, peer.distances, note, firsts_s)


def take_turns(calls: Sequence[Call], sources: Sequence[int], seconds: float) -> None:
    """Time all calls from all sources, and compare the answers."""
    left = list(calls)
    for turn, source in enumerate(sources):
        taking, answers = [call for call in left if call.goes_on(seconds)], {}
        first = turn % max(len(taking), 1)
        for call in taking[first:] + taking[:first]:
            try:
                call.fill_caches(sources[turn - 1])
                call.times[source], distances = call.timed(source)
                answers[call.title] = distances()
            except (WarpathError, MemoryError) as error:
                left.remove(call)
                call.note += f"  {error}"
        expected = answers.get(calls[0].title)  # warpath's, certified
        for call in taking:
            if expected is not None and not np.array_equal(answers.get(call.title, expected), expected):
                call.note += f"  DIFFERS from {source}"


def ratio_of(graph: str, ours: Call, other: Call) -> Ratio:
    before, after = paired_times(ours.times, other.times)
    value = median(theirs / own for own, theirs in zip(before, after, strict=True))
    return Ratio(graph, ours.title, other.title, value, paired_interval(before, after, ERROR_OF_AN_END))


def numbers(distances: Any) -> np.ndarray:
    """Distances as float64, ``inf`` where there is no path."""
    return np.where(distances == UNREACHABLE, np.inf, distances) if distances.dtype == np.int32 else distances


if __name__ == "__main__":
    main()
