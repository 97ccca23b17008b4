"""Shortest paths, from one source or of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .problem import Problem

if TYPE_CHECKING:
    from ..record import Record

# Vertices of the part of the graph that is solved and certified before anything is timed. 32 divides neither of the
# dense sizes, so that the edges of blocks and tiles are certified too.
PART_VERTICES_SPARSE = 4000
PART_VERTICES_DENSE = 1000
PART_VERTICES_DENSE_WITHOUT_GPU = 200


class OneSource(Problem):
    """Paths from one source, or from several drawn at random, one solve each."""

    name = "sssp"
    takes_source = True

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        from warpath.certificates.subgraph import around

        return around(graph, source, PART_VERTICES_SPARSE)

    def sources_of(self, record: Record, vertices: int) -> int:
        drawn = record.measure.random_sources
        full = record.certificate is not None and record.certificate.scope == "full"
        return drawn.count if drawn and full else 1


class AllPairs(Problem):
    """Paths of all pairs at once."""

    name = "apsp"

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        from warpath.certificates.subgraph import around

        return around(graph, None, PART_VERTICES_DENSE if on_gpu else PART_VERTICES_DENSE_WITHOUT_GPU)

    def answer_rows(self, vertices: int) -> int:
        return vertices

    def sources_of(self, record: Record, vertices: int) -> int:
        return vertices
