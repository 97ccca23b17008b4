"""Peers in C: shared libraries with the functions of ``peer.h``.

Trial solves find the fastest number of threads and value of the library's setting for each graph. They run in a process
of their own, which can be ended: with a bad value, some algorithms take minutes, or all memory.
"""

import ctypes
import hashlib
import multiprocessing
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

import warpath
from warpath.device import Device
from warpath.distances import UNREACHABLE
from warpath.errors import GraphError
from warpath.graphs.csr import Graph

from .contract import MissingPeerError, Peer, every_core

ABI, TRIALS_MAX = 2, 64  # as in peer.h
TRIAL_SOURCES, TRIAL_SOURCES_MIN = 8, 2
TRIAL_S = 0.5  # for a solve from each trial source; if solves take long, there are fewer of them
TRIAL_REPEAT_S = 0.05  # a shorter solve is repeated once
TRIAL_LIMIT_S = 30  # for the solves from one source, before any trial has ended
TRIAL_LIMIT_MIN_S = 1  # starting another process takes as long
STEP, SEARCH_S = 4, 10  # the search for a value
TOO_SLOW = 4  # times the fastest: the search stops there
# Times the fastest, and how many: a slow stretch of the machine may have decided between them.
CLOSE, CLOSE_MAX = 1.3, 4
ROUNDS, ROUNDS_S = 5, 5
POINTER, NUMBER, TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p


class _About(ctypes.Structure):
    _fields_ = (
        ("abi", NUMBER),
        ("version", TEXT),
        ("setting", TEXT),
        ("parallel", NUMBER),
        ("farthest_max", NUMBER),
        ("on_gpu", NUMBER),
    )


class Library:
    """The functions of a loaded library, and what it says of itself. Raises MissingPeerError if it cannot be used."""

    def __init__(self, name: str, file: Path):
        self.name, self.file = name, file
        try:
            library = ctypes.CDLL(str(file))
            about = _About.in_dll(library, "peer_about")
            if about.abi != ABI:
                raise MissingPeerError(
                    f"{name}: {file} has version {about.abi} of peer.h, and warpath version {ABI}; compile it again"
                )
            self.prepare, self.trials = library.peer_prepare, library.peer_trials
            self.solve, self.distances, self.free = library.peer_solve, library.peer_distances, library.peer_free
        except (OSError, ValueError, AttributeError) as error:  # no library, or one without a symbol
            raise MissingPeerError(
                f"{name} is no peer in C ({error}); docs/extending.md tells how to make one"
            ) from None
        self.prepare.restype = POINTER
        self.prepare.argtypes = (NUMBER, POINTER, POINTER, POINTER)
        self.trials.argtypes = (POINTER, NUMBER * TRIALS_MAX)
        self.solve.argtypes = (POINTER, NUMBER, NUMBER, NUMBER)
        self.distances.argtypes = (POINTER, POINTER)
        self.free.restype, self.free.argtypes = None, (POINTER,)
        self.version = (about.version or b"").decode(errors="replace")
        self.setting = (about.setting or b"").decode(errors="replace")
        if self.setting == "threads":
            raise MissingPeerError(f"{name}: its setting has the name threads, which warpath uses; give it another one")
        self.parallel, self.farthest_max = bool(about.parallel), about.farthest_max
        self.on_gpu = bool(about.on_gpu)


load = cache(Library)


class Form:
    """A graph in the form of a library, which keeps the distances of the last solve."""

    def __init__(self, library: Library, graph: Graph, value: int = 0, threads: int = 1):
        if graph.weights.dtype != np.int32:
            raise MissingPeerError(f"{library.name} takes whole weights only")
        self.library, self.graph, self.value, self.threads = library, graph, value, threads
        pointers = (array.ctypes.data for array in (graph.indptr, graph.indices, graph.weights))
        self.pointer = library.prepare(graph.vertices, *pointers)
        if not self.pointer:
            raise MissingPeerError(f"{library.name} cannot prepare this graph")
        weakref.finalize(self, library.free, self.pointer)

    def solve(self, source: int) -> None:
        self.library.solve(self.pointer, source, self.value, self.threads)

    def distances(self) -> np.ndarray:
        """The distances of the last solve."""
        row = np.empty(self.graph.vertices, np.int32)
        self.library.distances(self.pointer, row.ctypes.data)
        return row

    def tune(self) -> Mapping[str, int]:
        """Search values with all threads, then numbers of threads, then values with these; choose by turns."""
        library = self.library
        if _farthest(self.graph) > library.farthest_max:
            raise MissingPeerError(
                f"{library.name} takes graphs with distances up to {library.farthest_max:,}; scale the weights down"
            )
        threads = every_core() if library.parallel else 1
        values = self._values()
        with Trials(self) as trials:
            value = trials.fastest(values, threads)
            counts = sorted({threads, *(1 << power for power in range(threads.bit_length()))})
            found = min(counts, key=partial(trials.timed, value))
            if found != threads:
                trials.fastest(values, found, value)
            self.value, self.threads = trials.fastest_by_turns()
        return {library.setting: self.value, "threads": self.threads} if library.setting else {"threads": self.threads}

    def _values(self) -> list[int]:
        """The values of the setting to try, in ascending order; 0 without one."""
        if not self.library.setting:
            return [0]
        values = (NUMBER * TRIALS_MAX)()
        return sorted(set(values[: self.library.trials(self.pointer, values)])) or [0]


class Trials:
    """A process that solves from the trial sources. A crash or a slow solve ends it; the next trial starts another."""

    def __init__(self, form: Form):
        self._graph, self._library, self._starts = form.graph, form.library, _starts(form.graph)
        self._process: multiprocessing.process.BaseProcess | None = None
        self._least = inf
        self._timed: dict[tuple[int, int], float] = {}

    def __enter__(self) -> "Trials":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def fastest(self, values: list[int], threads: int, first: int | None = None) -> int:
        """Every fourth value from ``first``, or the middle, outwards, then those about the fastest, then all others.

        The others are left out after SEARCH_S. There may be several minima on graphs of low diameter.
        """
        began = perf_counter()
        fastest = self._outwards(values, len(values) // 2 if first is None else values.index(first), STEP, threads)
        for step in (STEP // 2, STEP // 4):
            near = [at for at in (fastest, fastest - step, fastest + step) if 0 <= at < len(values)]
            fastest = min(near, key=lambda at: self.timed(values[at], threads))
        if perf_counter() - began < SEARCH_S:
            fastest = self._outwards(values, fastest, 1, threads)
        if self.timed(values[fastest], threads) == inf:
            raise MissingPeerError(
                f"{self._library.name} crashes, or takes up to {TRIAL_LIMIT_S} s and more, in its trial solves"
            )
        return values[fastest]

    def _outwards(self, values: list[int], first: int, step: int, threads: int) -> int:
        """The place of the fastest value, of those from the place ``first`` to where one is too slow, on both sides."""
        seconds = {first: self.timed(values[first], threads)}
        for half in (range(first + step, len(values), step), range(first - step, -1, -step)):
            for at in half:
                seconds[at] = self.timed(values[at], threads)
                if seconds[at] >= TOO_SLOW * min(seconds.values()):
                    break
        return min(seconds, key=seconds.__getitem__)

    def fastest_by_turns(self) -> tuple[int, int]:
        """Of the values and numbers of threads that were about the fastest, those with the least median in turns."""
        limit = CLOSE * min(self._timed.values())
        close = [each for each in sorted(self._timed, key=self._timed.__getitem__) if self._timed[each] <= limit]
        times: dict[tuple[int, int], list[float]] = {each: [self._timed[each]] for each in close[:CLOSE_MAX]}
        began = perf_counter()
        for _ in range(ROUNDS if len(times) > 1 else 0):
            if perf_counter() - began > ROUNDS_S:
                break
            for each, own in times.items():
                own.append(self.seconds(*each))
        return min(times, key=lambda each: median(times[each]))

    def timed(self, value: int, threads: int) -> float:
        """The ``seconds``, tried once."""
        if (value, threads) not in self._timed:
            self._timed[value, threads] = self.seconds(value, threads)
        return self._timed[value, threads]

    def seconds(self, value: int, threads: int) -> float:
        """The sum over the trial sources; not over all of them if it is too slow."""
        total, solved = 0.0, 0
        while solved < len(self._starts) and total < TOO_SLOW * self._least:
            total += self._solve_s(self._starts[solved], value, threads)
            solved += 1
            if self._least == inf and solved == 1 and 0 < total < inf:
                self._starts = self._starts[: max(TRIAL_SOURCES_MIN, int(TRIAL_S / total))]
        self._least = min(self._least, total)
        return total

    def _solve_s(self, source: int, value: int, threads: int) -> float:
        """The time of a solve, the least of two if it is short; inf if it takes too long or ends the process."""
        with suppress(EOFError, ConnectionError):
            if self._process is None:
                self._start()
            self._connection.send((source, value, threads))
            if self._connection.poll(min(TRIAL_LIMIT_S, max(TRIAL_LIMIT_MIN_S, TOO_SLOW * self._least))):
                return self._connection.recv()
        self._end()
        return inf

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would lose the threads of OpenMP
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, self._library.name, self._library.file, self._graph)
        )
        self._process.start()
        theirs.close()  # so that the end of the process is the end of the connection
        self._connection.recv()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def _serve(connection: Connection, name: str, file: Path, graph: Graph) -> None:
    """Solve what is asked for, and answer with the time."""
    form = Form(load(name, file), graph)
    connection.send("ready")
    while True:
        source, form.value, form.threads = connection.recv()
        seconds = _seconds(form, source)
        connection.send(seconds if seconds > TRIAL_REPEAT_S else min(seconds, _seconds(form, source)))


def _seconds(form: Form, source: int) -> float:
    began = perf_counter()
    form.solve(source)
    return perf_counter() - began


def _starts(graph: Graph) -> list[int]:
    """The trial sources, which have arcs; the first vertex if none has."""
    tails = np.flatnonzero(np.diff(graph.indptr))
    return tails[np.linspace(0, len(tails) - 1, TRIAL_SOURCES + 2, dtype=int)[1:-1]].tolist() if len(tails) else [0]


def _farthest(graph: Graph) -> int:
    """The largest distance from a trial source; UNREACHABLE if one does not fit 32 bits."""
    try:
        paths = warpath.sssp(graph, _starts(graph)[0], device="cpu", predecessors=False, certify=False)
    except GraphError:
        return int(UNREACHABLE)
    return int(paths.distances.max(where=paths.reached, initial=0))


def peer_of(
    name: str,
    summary: str,
    file: Callable[[], Path],
    version: Callable[[], str] | None = None,
    sources: tuple[Path, ...] = (),
    on_cpu: bool = True,
) -> Peer:
    """The peer in C of a library.

    Parameters
    ----------
    name, summary : str
    file : callable
        Returns the library's file; called only once it is needed.
    version : callable, optional
        Its version. Default: what the library says, and a hash of its file.
    sources : tuple of Path
        C++ files of warpath in the library.
    on_cpu : bool
        Whether solves run on the CPU.
    """

    def said() -> str:
        library = load(name, file())
        return f"{library.version}, {hashlib.sha256(library.file.read_bytes()).hexdigest()[:12]}"

    def prepare(graph: Graph, device: Device, /, threads: int = 1, **setting: int) -> Form:
        return Form(load(name, file()), graph, next(iter(setting.values()), 0), threads)

    return Peer(
        title=name,
        summary=summary,
        version=version or said,
        prepare=prepare,
        solve=lambda form, source: form.solve(int(source)),
        distances=lambda answer, form: form.distances(),
        tune=Form.tune,
        sources=sources,
        on_cpu=on_cpu,
    )


def peer_of_user(name: str, file: Path) -> Peer:
    """The peer in C of a library of the user's, which is loaded at once, and may be missing."""
    try:
        on_gpu = load(name, file).on_gpu
    except MissingPeerError:  # its version says so, too
        on_gpu = False
    return peer_of(name, f"a library in C, {file}", lambda: file, on_cpu=not on_gpu)
