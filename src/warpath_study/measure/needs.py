"""What a run asks of a cluster: minutes, from its budget; megabytes of main memory, from its graph.

Generous, since a job that asks for too little is lost. Where that happens all the same, each further attempt asks for
twice as much.
"""

from math import ceil

from warpath.solvers.limits import AnswerSize

# Reading the graph, preparing it, compiling kernels, certifying a part and the whole answer.
_MINUTES_BESIDE_SAMPLES = 10
# A last sample may begin shortly before the budget ends.
_BUDGETS = 2
# Distances that a part of all pairs keeps in a store in a minute, with room: an H200 did 13 billion.
_DISTANCES_A_MINUTE = 4_000_000_000
# Python with its packages, the CUDA libraries, the compiler.
_MB_WITHOUT_GRAPH = 4096
# A graph's arrays in several forms, and what a partition keeps beside them.
_BYTES_A_VERTEX_OR_ARC = 256
# The answer, and for all pairs what is certified of it at a time.
_ANSWERS = 1.25


def minutes(budget_s: float, attempt: int = 1) -> int:
    """Minutes that a run with this budget may take, whatever its graph."""
    return (_MINUTES_BESIDE_SAMPLES + ceil(_BUDGETS * budget_s / 60)) * 2 ** (attempt - 1)


def minutes_of_rows(sources: int, vertices: int, attempt: int = 1) -> int:
    """Minutes that all pairs from so many sources may take, also with a store."""
    return (_MINUTES_BESIDE_SAMPLES + ceil(sources * vertices / _DISTANCES_A_MINUTE)) * 2 ** (attempt - 1)


def megabytes(answer: AnswerSize, rows: int, vertices: int, arcs: int, attempt: int = 1) -> int:
    """Megabytes of main memory that a run may use whose answer has so many ``rows``.

    ``vertices`` are its columns, and cells in a grid.
    """
    graph_bytes = _BYTES_A_VERTEX_OR_ARC * (vertices + arcs)
    all_bytes = graph_bytes + _ANSWERS * answer.bytes_per_pair * rows * vertices
    return (_MB_WITHOUT_GRAPH + ceil(all_bytes / 2**20)) * 2 ** (attempt - 1)
