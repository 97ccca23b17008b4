"""The types of weights and lengths, as lengths.cuh has them."""

from collections.abc import Mapping

import numpy as np

from ..graphs.csr import Graph

_WORD_BYTES = 4


def macros_for(graph: Graph) -> Mapping[str, int]:
    """The macros of a kernel that includes lengths.cuh. There are none for int32, so kernels are shared with ports."""
    dtype = graph.weights.dtype
    return {} if dtype == np.int32 else {"FLOAT_BITS": 8 * dtype.itemsize}


def words_of(dtype: np.dtype) -> int:
    """The number of 32-bit words of a weight or length."""
    return dtype.itemsize // _WORD_BYTES
