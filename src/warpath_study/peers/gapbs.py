"""GAP Benchmark Suite: delta-stepping on one or several cores, from the user's copy of its sources.

``gapbs.cpp`` makes a library of the suite's sssp.cc, compiled with the flags of its Makefile, so that its distances can
be certified; the suite's own program prints none. Trial solves find the fastest number of threads and delta for each
graph, out of up to fifteen multiples of the mean weight.
"""

import ctypes
import hashlib
import os
import subprocess
import tempfile
import weakref
from functools import cache, cached_property
from pathlib import Path
from time import perf_counter

import numpy as np

import warpath
from warpath.device import Device
from warpath.device.simulated.compile import find_compiler
from warpath.distances import UNREACHABLE
from warpath.errors import DeviceError, GraphError
from warpath.graphs.csr import Graph

from .contract import MissingPeerError, Peer, every_core

FOLDER = "WARPATH_GAPBS"
SHIM = Path(__file__).with_name("gapbs.cpp")
FLAGS = ("-std=c++11", "-O3", "-fopenmp", "-w", "-shared", "-fPIC")
UNREACHED = np.iinfo(np.int32).max // 2  # kDistInf of sssp.cc
FARTHEST_MAX = UNREACHED // 2  # from one source; from another one, vertices may be twice as far
TRIAL_FACTORS = tuple(2.0**power for power in range(-6, 9))  # of the mean weight
TRIAL_SOURCES = 8
TRIAL_REPEATS = 2
TOO_SLOW = 4  # times the fastest: the search stops there, because the ends of the range may take minutes


class Form:
    """A graph in the suite's form. The suite keeps only the distances of the last solve."""

    def __init__(self, graph: Graph, device: Device, delta: int = 1, threads: int = 1):
        self.delta, self.threads = delta, threads
        self.vertices, self.has_arcs = graph.vertices, graph.arcs > 0  # the suite cannot solve a graph without arcs
        self.library = _library(os.environ[FOLDER])
        self._graph = graph
        arrays = graph.indptr, graph.indices, graph.weights
        pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in arrays)
        self.solver = ctypes.c_void_p(self.library.gapbs_prepare(graph.vertices, *pointers))
        weakref.finalize(self, self.library.gapbs_free, self.solver)

    def tuned(self) -> dict[str, int]:
        """The fastest delta with all threads, then the fastest number of threads, then the fastest delta with these."""
        threads = every_core()
        if not self.has_arcs:
            return {"delta": 1, "threads": threads}
        if self._farthest() > FARTHEST_MAX:
            raise MissingPeerError(
                f"gapbs takes distances up to {UNREACHED:,} and all memory beyond these; scale the weights down"
            )
        self.solve(0, 1, threads)  # starts the threads
        delta = self._fastest_delta(threads)
        counts = sorted({threads, *(1 << power for power in range(threads.bit_length()))})
        fastest = min(counts, key=lambda count: self._trial_s(delta, count))
        return {"delta": delta if fastest == threads else self._fastest_delta(fastest), "threads": fastest}

    def _fastest_delta(self, threads: int) -> int:
        """Search from the middle outwards, because there may be several minima on graphs of low diameter."""
        mean_weight = float(self._graph.weights.mean())
        deltas = sorted({max(1, round(factor * mean_weight)) for factor in TRIAL_FACTORS})
        middle = len(deltas) // 2
        seconds = {deltas[middle]: self._trial_s(deltas[middle], threads)}
        for half in (deltas[middle + 1 :], deltas[:middle][::-1]):
            for delta in half:
                seconds[delta] = self._trial_s(delta, threads)
                if seconds[delta] > TOO_SLOW * min(seconds.values()):
                    break
        return min(seconds, key=seconds.__getitem__)

    def solve(self, source: int, delta: int, threads: int) -> None:
        if self.has_arcs:
            self.library.gapbs_solve(self.solver, source, delta, threads)

    def distances(self, source: int) -> np.ndarray:
        """The distances of the last solve."""
        row = np.full(self.vertices, UNREACHED, np.int32)
        row[source] = 0
        if self.has_arcs:
            self.library.gapbs_distances(self.solver, row.ctypes.data_as(ctypes.c_void_p))
        return np.where(row >= UNREACHED, UNREACHABLE, row).astype(np.int32)

    def _farthest(self) -> int:
        """The largest distance from a trial source; UNREACHABLE if one does not fit 32 bits."""
        try:
            paths = warpath.sssp(self._graph, self._starts[0], device="cpu", predecessors=False, certify=False)
        except GraphError:
            return int(UNREACHABLE)
        return int(paths.distances.max(where=paths.reached, initial=0))

    @cached_property
    def _starts(self) -> list[int]:
        """The trial sources, which have arcs."""
        tails = np.flatnonzero(np.diff(self._graph.indptr))
        return tails[np.linspace(0, len(tails) - 1, TRIAL_SOURCES + 2, dtype=int)[1:-1]].tolist()

    def _trial_s(self, delta: int, threads: int) -> float:
        """The sum over the trial sources of the fastest repeat."""
        return sum(min(self._seconds(source, delta, threads) for _ in range(TRIAL_REPEATS)) for source in self._starts)

    def _seconds(self, source: int, delta: int, threads: int) -> float:
        start = perf_counter()
        self.solve(source, delta, threads)
        return perf_counter() - start


def version() -> str:
    """A hash of sssp.cc, which has no version."""
    return f"sssp.cc {hashlib.sha256(_source().read_bytes()).hexdigest()[:12]}"


def _source() -> Path:
    folder = os.environ.get(FOLDER, "")
    file = Path(folder, "src", "sssp.cc")
    if not folder:
        raise MissingPeerError(
            "gapbs is not installed; clone sbeamer/gapbs from GitHub and set gapbs in config.yaml to it"
        )
    if not file.is_file():
        raise MissingPeerError(f"gapbs: there is no file {file}; set gapbs in config.yaml to a clone of sbeamer/gapbs")
    return file


@cache
def _library(folder: str) -> ctypes.CDLL:
    command = [*find_compiler(), *FLAGS, "-I", str(Path(folder, "src"))]
    with tempfile.TemporaryDirectory(prefix="warpath-", ignore_cleanup_errors=True) as folder_of_library:
        object_file = Path(folder_of_library, "gapbs.so")
        compiled = subprocess.run(
            [*command, "-o", str(object_file), str(SHIM)], capture_output=True, text=True, errors="replace", check=False
        )
        if compiled.returncode:
            first = next((line for line in compiled.stderr.splitlines() if "error" in line), "the compiler failed")
            raise DeviceError(f"gapbs in {folder} does not compile with {command[0]}: {first}")
        library = ctypes.CDLL(str(object_file))  # stays mapped after its file is removed
    pointer, number = ctypes.c_void_p, ctypes.c_int
    library.gapbs_prepare.restype = pointer
    library.gapbs_prepare.argtypes = (number, pointer, pointer, pointer)
    library.gapbs_solve.argtypes = (pointer, number, number, number)
    library.gapbs_distances.argtypes = (pointer, pointer)
    library.gapbs_free.argtypes = (pointer,)
    return library


def solve(form: Form, source: int) -> int:
    """The source; the suite keeps the distances."""
    form.solve(int(source), form.delta, form.threads)
    return int(source)


def distances(source: int, form: Form) -> np.ndarray:
    return form.distances(source)


PEER = Peer(
    title="gapbs",
    summary="GAP Benchmark Suite: delta-stepping, delta and threads tuned for the graph",
    version=version,
    prepare=Form,
    solve=solve,
    distances=distances,
    tune=Form.tuned,
    sources=(SHIM,),
)
