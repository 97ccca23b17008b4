"""The types of weights and lengths, as lengths.cuh has them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...graphs.csr import Graph

_WORD_BYTES = 4


def macros_for(graph: Graph) -> Mapping[str, int]:
    """The macros of a kernel that includes lengths.cuh. There are none for int32."""
    return macros_of(graph.weights.dtype)


def macros_of(dtype: np.dtype) -> Mapping[str, int]:
    """``macros_for`` a graph with weights of ``dtype``."""
    return {"FLOAT_BITS": 8 * dtype.itemsize} if dtype.kind == "f" else {}


def macros_for_any_sign(graph: Graph) -> Mapping[str, int]:
    """The macros of a kernel that includes lengths.cuh and takes negative weights."""
    negative = {"NEGATIVE_WEIGHTS": 1} if graph.has_floats and graph.weight_min < 0 else {}
    return {**macros_for(graph), **negative}


def invert_negative(distances: Any) -> None:
    """Turn lengths of a kernel with NEGATIVE_WEIGHTS, float arrays of a device, into the numbers that they mean."""
    bits = distances.view(np.dtype(f"i{distances.itemsize}"))
    bits ^= (bits >> (8 * bits.itemsize - 1)) & np.iinfo(bits.dtype).max


def words_of(dtype: np.dtype) -> int:
    """The number of 32-bit words of a weight or length."""
    return dtype.itemsize // _WORD_BYTES
