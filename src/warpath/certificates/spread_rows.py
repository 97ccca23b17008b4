"""Certifies a few rows of distances with all threads of the grid at every row; see spread_rows.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Launch
from .arc_list import ArcList
from .verdict import Verdict, cleared

KERNELS = Path(__file__).with_name("spread_rows.cu")
THREADS = 256
ROWS_MAX = 65_535  # CUDA's limit of a grid along y
MARKS_BYTES_MAX = 256 * 2**20


class SpreadRows:
    """The kernels, and their memory on the device, which grows to that of the most rows certified at once."""

    def __init__(self, device: Device, arcs: ArcList):
        self._device = device
        self._arcs = arcs
        self._judge_arcs = device.kernel(KERNELS, "judge_arcs")
        self._judge_vertices = device.kernel(KERNELS, "judge_vertices")
        self._arc_blocks = max(1, -(-int(arcs.count) // THREADS))
        self._vertex_blocks = -(-int(arcs.vertices) // THREADS)
        self.forget()

    @property
    def rows_max(self) -> int:
        """How many rows are certified at once, at most."""
        return max(1, min(ROWS_MAX, MARKS_BYTES_MAX // (4 * int(self._arcs.vertices))))

    def forget(self) -> None:
        """Drop the marks, which are worth nothing to another verdict."""
        self._bound: list[Launch] = []
        self._arguments: list[list[Any]] = []
        self._marks: Any = None
        self._ancestors: Any = None
        self._grown: Any = None

    def certify(
        self, verdict: Verdict, faulty_rows: Any, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached; ``faulty_rows`` then holds the call's number."""
        arcs, call = self._arcs, verdict.begin()
        if self._marks is None or len(self._marks) < rows * int(arcs.vertices):
            self._marks = cleared(self._device, rows * int(arcs.vertices))
        given = np.int32(predecessors is not None)
        answer = distances, given, distances if predecessors is None else predecessors
        told = faulty_rows, verdict.words
        of_arcs = (*arcs.arguments, arcs.lightest, *answer, call, self._marks, *told)
        of_vertices = (arcs.vertices, sources, *answer, call, self._marks, *told)
        if predecessors is None and arcs.lightest <= 0:
            self._judge_arcs((self._arc_blocks, rows), (THREADS,), of_arcs)
            self._grow_marks(sources, rows, distances, call)
            self._judge_vertices((self._vertex_blocks, rows), (THREADS,), of_vertices)
        elif rows > 1:
            self._judge_arcs((self._arc_blocks, rows), (THREADS,), of_arcs)
            self._judge_vertices((self._vertex_blocks, rows), (THREADS,), of_vertices)
        else:
            self._judge_one_row(of_arcs, of_vertices)
        fault, circles_possible, reached = verdict.read()
        if circles_possible and not fault:
            fault = self._walk(verdict, sources, rows, predecessors, call, told)
        return fault, reached

    def _judge_one_row(self, of_arcs: tuple, of_vertices: tuple) -> None:
        """Launch both kernels as they were bound for an earlier row, with what differs: binding takes longer."""
        if not self._bound:
            self._bound = [
                self._judge_arcs.bind((self._arc_blocks, 1), (THREADS,), of_arcs),
                self._judge_vertices.bind((self._vertex_blocks, 1), (THREADS,), of_vertices),
            ]
            self._arguments = [list(of_arcs), list(of_vertices)]
        for launch, bound, given in zip(self._bound, self._arguments, (of_arcs, of_vertices), strict=True):
            for position, argument in enumerate(given):
                if argument is not bound[position]:
                    launch.replace(position, argument)
                    bound[position] = argument
        self._device.enqueue(self._bound)

    def _grow_marks(self, sources: Any, rows: int, distances: Any, call: np.uint32) -> None:
        if self._grown is None:
            self._grown = cleared(self._device, 1, np.int32)
        arguments = (*self._arcs.arguments, sources, distances, call, self._marks, self._grown)
        launch = self._device.kernel(KERNELS, "grow").bind((self._arc_blocks, rows), (THREADS,), arguments)
        # Each round but the last marks a vertex more in some row, and rounds serve all rows at once.
        self._device.repeat_while([[launch]], self._grown, int(self._arcs.vertices) + 1)

    def _walk(
        self, verdict: Verdict, sources: Any, rows: int, predecessors: Any, call: np.uint32, told: tuple[Any, Any]
    ) -> bool:
        """Whether the predecessors of a row run in a circle."""
        vertices = self._arcs.vertices
        if self._ancestors is None or len(self._ancestors) < rows * int(vertices):
            self._ancestors = self._device.empty((rows * int(vertices),), np.int32)
        begin, double, end = (
            self._device.kernel(KERNELS, name) for name in ("begin_walks", "double_walks", "end_walks")
        )
        grid, block = (self._vertex_blocks, rows), (THREADS,)
        begin(grid, block, (vertices, sources, predecessors, self._ancestors))
        for _ in range((int(vertices) - 1).bit_length()):
            double(grid, block, (vertices, self._ancestors))
        end(grid, block, (vertices, sources, self._ancestors, call, *told))
        return verdict.read()[0]
