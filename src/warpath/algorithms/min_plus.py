"""What the launches of kernels that include min_plus.cuh need to know."""

from ..graphs.csr import Graph

GROUP = 4  # words by which rows of the transposed slice are longer


def vertex_bits(graph: Graph, tile: int) -> int:
    """VERTEX_BITS for slices of ``tile`` vertices: 0 where a path may be too long for the rest of a key.

    A shortest path has fewer arcs than the graph has vertices.
    """
    bits = (tile - 1).bit_length()
    longest = max(graph.vertices - 1, 0) * graph.weight_max
    far = 2 ** (31 - bits) - 1
    return bits if graph.weight_min >= 0 and longest < far else 0


def slices_bytes(tile: int, width: int, bits: int) -> int:
    """Size of ``Slices<width>``: two slices, one of them padded; without VERTEX_BITS a counter and a list of cells."""
    slices = 4 * tile * (width + GROUP + width)
    return slices if bits else slices + 4 + 2 * width * width
