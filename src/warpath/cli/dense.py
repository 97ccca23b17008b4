"""``warpath dense``: all pairs of a graph; the processes of an MPI job share the matrix."""

import argparse
import importlib
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np

from ..certificates.on_device import DeviceCertifier
from ..device import Device, open_for_kernels
from ..device.copies import downloaded
from ..errors import UsageError, WarpathError, on_one_line
from ..graphs.csr import Graph
from ..solvers.all_pairs.shared_rows import ProcessRows
from ..solvers.checks.preconditions import check_no_negative_cycle, check_weights
from ..solvers.registry import find
from ..system.atomic import atomic_write, check_writable, explain_write_errors
from ..system.driver import gpu_count
from ..system.progress import Progress
from . import _summary
from ._graph_options import add_graph_options, read_graph

HELP = """\
Compute and certify all pairs of a graph by Floyd-Warshall. The processes of an MPI job, on one machine or several,
share the rows of the matrix. Each process uses one GPU of its machine, or the simulated GPU.

examples:
  warpath dense data/graphs/katz-4096.npz
  mpiexec -n 4 warpath dense data/graphs/katz-4096.npz
  mpiexec -n 2 warpath dense mine.wel --device simulated --output distances.npy

Every process reads GRAPH, certifies its rows, and writes them to FILE, which must be on a file system that all
processes share. FILE is an array of shape (n, n), in the order of the vertices, of the type of the weights. 2147483647
among integers, and inf among floats, means that there is no path. With --scale, distances are multiplied, too. The job
needs mpi4py (pip install '.[mpi]' in the clone) and an MPI library.
"""

PIECE_BYTES = 2**28
Result = TypeVar("Result")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_graph_options(parser)
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the distances to this .npy file")


def main(arguments: argparse.Namespace) -> None:
    mpi = _mpi()
    world = mpi.COMM_WORLD
    began = perf_counter()
    local = world.Split_type(mpi.COMM_TYPE_SHARED).rank  # among the processes of this machine
    device, graph = _collectively(world, lambda: _read(arguments, world.rank, local))
    hashes = set(world.allgather(graph.sha256))
    rows = _collectively(world, lambda: _allocate(arguments.graph, hashes, device, graph, world))
    times = {"read": perf_counter() - began}
    # A process that fails here aborts the others, since they would wait for it.
    try:
        times["solve"] = _timed(world, rows.solve)
        certifier = DeviceCertifier(device, graph)
        distances = rows.distances()
        sources = np.arange(rows.first_row, rows.first_row + len(distances))
        began = perf_counter()
        reached = certifier.certify(sources, distances).reached if len(sources) else 0
        reached = world.allreduce(reached)
        times["certify"] = perf_counter() - began
    except Exception as error:
        print(f"warpath: error: process {world.rank}: {on_one_line(str(error))}", file=sys.stderr, flush=True)
        world.Abort(1)
    if arguments.output:
        _write(world, arguments.output, device, graph.vertices, rows.first_row, distances)
    if world.rank:
        return
    processes = "1 process" if world.size == 1 else f"{world.size} processes"
    lines = {
        "read": graph.describe(),
        "solved": f"between all pairs, by floyd_warshall shared_rows in {processes}, on {device.name}",
        "reached": f"{reached:,} of {graph.vertices**2:,} pairs of a source and a vertex",
        "certificate": f"exact: every distance, {graph.vertices * graph.arcs:,} arcs checked",
        "times": ", ".join(f"{name} {seconds:.3f} s" for name, seconds in times.items()),
    }
    if arguments.output:
        lines["written"] = str(arguments.output)
    print(_summary.formatted(lines))


def _mpi() -> Any:
    try:
        return importlib.import_module("mpi4py.MPI")
    except ImportError:
        raise UsageError(
            "dense: mpi4py is not installed, or finds no MPI; pip install '.[mpi]' in the clone, and load an MPI module"
        ) from None
    except RuntimeError as error:  # mpi4py finds no MPI library
        raise UsageError(f"dense: mpi4py finds no MPI ({error}); load an MPI module") from None


def _read(arguments: argparse.Namespace, rank: int, local: int) -> tuple[Device, Graph]:
    if arguments.output:
        if arguments.output.suffix != ".npy":
            raise UsageError(f"{arguments.output}: the suffix is not .npy; change it")
        if rank == 0:
            check_writable(arguments.output, arguments.graph)
    name = arguments.device
    gpu = 0 if gpu_count() == 1 else local  # a batch system may show each process its own GPU alone
    device = open_for_kernels(f"cuda:{gpu}" if name in ("auto", "cuda") else name)
    graph = read_graph(arguments)
    if graph.has_floats and graph.weight_min < 0:
        raise UsageError(
            f"{arguments.graph}: some weights are negative floats; make them whole with --scale, or use "
            "'warpath solve --all-pairs'"
        )
    check_weights(graph, find("floyd_warshall", "shared_rows"))
    check_no_negative_cycle(graph, None)
    return device, graph


def _allocate(file: Path, hashes: set[str], device: Device, graph: Graph, world: Any) -> ProcessRows:
    if len(hashes) > 1:
        raise UsageError(f"{file}: the processes read different graphs; give all of them the same file")
    rows = ProcessRows(device, graph, world)
    rows.allocate()
    return rows


def _collectively(world: Any, work: Callable[[], Result]) -> Result:
    """The result of ``work``. If it fails in one process, all processes end, and the first one prints the error."""
    failure: Exception | None = None
    try:
        result = work()
    except (WarpathError, OSError, MemoryError) as error:
        failure = error
    except Exception as error:  # pickle may not support its type
        failure = WarpathError(f"{type(error).__name__}: {error}")
    failures = [each for each in world.allgather(failure) if each]
    if not failures:
        return result
    if world.rank == 0:
        raise failures[0]
    sys.exit(getattr(failures[0], "exit_status", 1))


def _timed(world: Any, work: Callable[[], None]) -> float:
    world.Barrier()
    began = perf_counter()
    with Progress("solving all pairs"):
        work()
    world.Barrier()
    return perf_counter() - began


def _write(world: Any, path: Path, device: Device, vertices: int, first_row: int, distances: Any) -> None:
    """Write the rows of all processes to one file, completely or not at all."""
    with ExitStack() as stack:

        def begin() -> tuple[Path, int] | None:
            if world.rank:
                return None
            temporary = stack.enter_context(atomic_write(path))
            header = {"descr": distances.dtype.str, "fortran_order": False, "shape": (vertices, vertices)}
            with temporary.open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                return temporary, file.tell()

        name, after_header = world.bcast(_collectively(world, begin))

        def write_rows() -> None:
            row_bytes = vertices * distances.itemsize
            at_once = max(1, PIECE_BYTES // row_bytes)
            with explain_write_errors(path, name), open(name, "r+b") as file:
                file.seek(after_header + first_row * row_bytes)
                for first in range(0, len(distances), at_once):
                    file.write(downloaded(device, distances[first : first + at_once]).data)

        _collectively(world, write_rows)
