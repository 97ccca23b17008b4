"""One path over a matrix product, from matrices to record: check, warm up, time, certify, in this order."""

import datetime
import hashlib
import statistics
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from .. import sources
from ..device import Device
from ..errors import CertificateError
from ..measure.environment import gpu_state, software_and_machine
from ..measure.lock import machine_held
from .certificate import certify_grid
from .matrices import random_matrices
from .record import SCHEMA_VERSION
from .solve import Cell, GridSolution, GridSolver

# No multiple of any tile or block, so that their edges are checked too.
CHECK_SIZE = 70
_MOVES = {(-1, 0): "U", (1, 0): "D", (0, -1): "L", (0, 1): "R"}


def measure_grid(
    device: Device,
    left: np.ndarray,
    right: np.ndarray,
    repeats: int,
    seed: int | None = None,
    source: Cell | None = None,
    destination: Cell | None = None,
) -> dict[str, Any]:
    """Solve ``repeats`` times and return the record, in the shape of ``record.schema.json``.

    ``seed`` is that of random matrices, None for others. Waits until no other measurement runs on this machine. Raises
    what ``GridSolver.solve`` raises, and CertificateError for a wrong answer.
    """
    files = sources.hashes(sources.import_closure("warpath.grid.solve"))
    machine = software_and_machine()
    with machine_held(f"grid {len(left)}"):
        started = _now()
        _check(device)
        solver = GridSolver(device, len(left))
        solver.solve(left, right, source, destination)  # to warm up
        before = gpu_state(device.describe())
        solutions = [solver.solve(left, right, source, destination) for _ in range(repeats)]
        after = gpu_state(device.describe())
    solution = solutions[-1]
    certificate = certify_grid(left, right, solution)
    samples = [_sample(solution) for solution in solutions]
    return {
        "schema": SCHEMA_VERSION,
        "kind": "grid",
        "size": len(left),
        "matrices": {"seed": seed} if seed is not None else {"left_sha256": _hash(left), "right_sha256": _hash(right)},
        "minimum": asdict(solution.minimum),
        "second_minimum": asdict(solution.second_minimum),
        "path": {
            "source": list(solution.source),
            "destination": list(solution.destination),
            "weight": solution.weight,
            "moves": moves(solution.path()),
        },
        "device": device.describe(),
        "seconds": statistics.median(sample["total_s"] for sample in samples),
        "samples": samples,
        "counters": dict(solution.counters),
        "certificate": asdict(certificate),
        "environment": {**machine, "gpu": {"before": before, "after": after} if before or after else None},
        "sources": files,
        "started": started,
        "finished": _now(),
    }


def moves(path: list[Cell]) -> str:
    """A letter for each step: up, down, left, right."""
    return "".join(_MOVES[there[0] - here[0], there[1] - here[1]] for here, there in pairwise(path))


def _check(device: Device) -> None:
    """Solve and certify a small product; compiles the kernels, too."""
    left, right = random_matrices(CHECK_SIZE, seed=1)
    try:
        certify_grid(left, right, GridSolver(device, CHECK_SIZE).solve(left, right))
    except CertificateError as error:
        raise CertificateError(f"a product of size {CHECK_SIZE} is wrong on {device.name}: {error}") from error


def _sample(solution: GridSolution) -> dict[str, float]:
    parts = {f"{part}_s": seconds for part, seconds in solution.seconds.items()}
    return {**parts, "total_s": sum(parts.values())}


def _hash(matrix: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(matrix, "<f4").data).hexdigest()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
