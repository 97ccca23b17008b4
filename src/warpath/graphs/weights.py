"""Weights of arcs: floats, fractions scaled to whole numbers, and random weights.

A random weight comes from a hash of the seed and of the arc's position in ``indices``, or in an undirected graph of its
two ends. It is the same on every machine and with every version of Python and NumPy.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import isinf
from typing import Any

import numpy as np

from ..errors import GraphError, UsageError
from .csr import WEIGHT_LIMIT, Graph
from .random_numbers import below, hashed, hashed_at

# Possessive, so that long numbers take linear time. Only the last group is not: with that, Python 3.11.2 accepts "1e".
UNSIGNED = rb"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?"
DECIMAL = re.compile(rb"[+-]?+" + UNSIGNED)
AS_FLOATS = "take weights of float64, with --type float64 (in Python floats, or warpath.read(..., dtype='float64'))"
"""What to do about integers, or sums of integers, of more than 32 bits."""
TOO_LARGE = f"does not fit 32 bits (at most {WEIGHT_LIMIT} in absolute value)"
_DECIMALS_MAX = 9
# A stream of its own, so that weights are independent of the shape of a generated graph.
_STREAM = int.from_bytes(b"weights", "big")


def checked_scale(scale: Any) -> int | None:
    """``scale`` as an int, or None. Raises UsageError if it is not a whole number from 1 to 10**9."""
    if scale is None:
        return None
    if not isinstance(scale, int | np.integer) or isinstance(scale, bool) or not 1 <= scale <= 10**_DECIMALS_MAX:
        raise UsageError(f"the scale is {scale!r}; it must be a whole number from 1 to {10**_DECIMALS_MAX}")
    return int(scale)


def checked_type(dtype: Any, scale: int | None) -> bool:
    """Whether weights become float64. Raises UsageError if ``dtype`` is another type, or there is a ``scale``, too."""
    if dtype is None:
        return False
    try:
        is_float64 = np.dtype(dtype) == np.float64
    except TypeError:
        is_float64 = False
    if not is_float64:
        raise UsageError(f"dtype={dtype!r} cannot be chosen for weights; choose 'float64', or leave it out")
    if scale is not None:
        raise UsageError(
            "a scale makes weights whole, and the type float64 makes them floats; leave out one of the two"
        )
    return True


def _advice(weights: np.ndarray, exact: Fraction | int = 0) -> str:
    """What to do with floats that are not all whole, of which one is ``exact``."""
    scales = (10**k for k in range(1, _DECIMALS_MAX + 1) if scaled(weights, 10**k)[1].all())
    scale = next(scales, None)
    if scale is None or (exact * scale) % 1:
        return "no power of ten makes all weights whole within 32 bits; round them first"
    return f"choose --scale {scale} (in Python scale={scale})"


def weight_in(word: bytes, scale: int | None, column: Callable[[], Iterable[bytes]]) -> float:
    """The nearest float to the decimal ``word``, or with a ``scale`` the decimal times it, which must be whole.

    Raises ValueError, which says what is wrong; the advice suits all words of the ``column``.
    """
    if scale is None:
        if isinf(number := float(word)):
            raise ValueError("does not fit a float of 64 bits")
        return number
    exact = Fraction(_decimal(word) or 0) * scale
    times = f"times the scale {scale} " if scale != 1 else ""
    if exact.denominator != 1:
        numbers = np.array([float(other) for other in column() if DECIMAL.fullmatch(other)])
        raise ValueError(f"{times}is not a whole number; {_advice(numbers, exact / scale)}")
    if abs(exact) > WEIGHT_LIMIT:
        raise ValueError(f"{times}{TOO_LARGE}")
    return int(exact)


def weights_of(numbers: np.ndarray, scale: int | None, name: Callable[[int], str]) -> np.ndarray:
    """The weights of a graph: integers as int32, floats as float32 or float64, and both as int32 with a ``scale``.

    ``name`` describes weight i in messages: "entry (0, 1)". Raises GraphError for what is no weight.
    """
    if scale is not None or numbers.dtype.kind != "f":
        return _whole_weights(numbers, scale or 1, name)
    if numbers.itemsize > np.dtype(np.float64).itemsize:
        raise GraphError(f"the weights are {numbers.dtype}; floats have at most 64 bits")
    finite = np.isfinite(numbers)
    if not finite.all():
        first = int(np.argmin(finite))
        raise _not_finite(name(first), numbers[first])
    return numbers.astype(np.promote_types(numbers.dtype, np.float32), copy=False)


def _not_finite(name: str, weight: float) -> GraphError:
    return GraphError(f"{name} is {'missing or nan' if np.isnan(weight) else weight}; a weight is a finite number")


def _whole_weights(weights: np.ndarray, scale: int, name: Callable[[int], str]) -> np.ndarray:
    """The weights times ``scale`` as int32.

    True is 1, and False is 0. A float counts as whole if ``round(weight * scale) / scale`` is the same float. Raises
    GraphError for other weights, with a suitable scale.
    """
    if weights.dtype.kind == "b":
        weights = weights.astype(np.int32)
    if weights.dtype.kind not in "iuf":
        raise GraphError(f"the weights are {weights.dtype}; a weight is a real number")
    if not len(weights):
        return np.zeros(0, np.int32)
    products, whole = scaled(weights, scale)
    if whole.all():
        return products.astype(np.int32)
    first = int(np.argmin(whole))
    weight = weights[first].item()
    if not np.isfinite(weight):
        raise _not_finite(name(first), weight)
    subject = f"{name(first)} is {weight}"
    if weights.dtype.kind in "iu" or round(weight * scale) == weight * scale:
        times, advice = (f" times the scale {scale}", "") if scale != 1 else ("", ", unless they are floats")
        raise GraphError(f"{subject}{times}; weights are at most {WEIGHT_LIMIT} in absolute value{advice}")
    times = f"which times the scale {scale} is" if scale != 1 else "which is"
    raise GraphError(f"{subject}, {times} not a whole number; {_advice(weights[np.isfinite(weights)])}")


def fit_int32(floats: np.ndarray) -> np.ndarray:
    """Which of the ``floats`` are whole numbers that int32 weights can be."""
    return (np.abs(floats) <= WEIGHT_LIMIT) & (floats == np.rint(floats))


def decimal_text(weight: int, scale: int) -> str:
    """``weight / scale``, exactly. Raises UsageError if it has no finite decimal form."""
    exact = Fraction(weight, scale)
    decimals = next((k for k in range(31) if 10**k % exact.denominator == 0), None)
    if decimals is None:
        raise UsageError(f"weights in 1/{scale} have no finite decimals; save the graph as .npz")
    return f"{Decimal(f'{exact.numerator * 10**decimals // exact.denominator}e-{decimals}'):f}"


def scaled(weights: np.ndarray, scale: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights times ``scale``, and which of them are whole and within the limit."""
    if weights.dtype.kind in "iu":
        limit = WEIGHT_LIMIT // scale
        fits = (weights <= limit) & (weights >= -limit) if weights.dtype.kind == "i" else weights <= limit
        return np.where(fits, weights, 0).astype(np.int64) * scale, fits
    with np.errstate(invalid="ignore", over="ignore"):
        products = np.rint(weights.astype(np.float64) * scale)
        back = (products / scale).astype(weights.dtype)
        return products, (back == weights) & (np.abs(products) <= WEIGHT_LIMIT)


def _decimal(word: bytes) -> Decimal:
    """The number ``word``, with an exponent that Decimal accepts."""
    mantissa, _, exponent = word.decode().lower().partition("e")
    sign = "-" if exponent.startswith("-") else ""
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    return Decimal(f"{mantissa}e{sign}{digits if len(digits) < 6 else 99_999}")


def check_range(weight_min: int, weight_max: int) -> None:
    """Raise UsageError if a bound is not an int, or the range is empty or exceeds 32 bits."""
    if not isinstance(weight_min, int) or not isinstance(weight_max, int):
        raise UsageError(f"weights cannot be drawn from {weight_min!r}..{weight_max!r}; the bounds must be integers")
    if not -WEIGHT_LIMIT <= weight_min <= weight_max <= WEIGHT_LIMIT:
        raise UsageError(
            f"weights cannot be drawn from {weight_min}..{weight_max}; the smallest must not exceed the largest, "
            f"and neither may exceed {WEIGHT_LIMIT} in absolute value"
        )


def given_weights(scale: int | None, name: Any = "weight") -> dict:
    """``Graph.metadata["weights"]`` for weights of this name from a file or an object."""
    named = {} if name == "weight" else {"name": str(name)}
    return {"kind": "given"} | named | ({} if scale in (None, 1) else {"scale": scale})


def with_random_weights(graph: Graph, seed: int, weight_min: int = 1, weight_max: int = 100) -> Graph:
    """``graph`` with random weights, uniform in weight_min..weight_max, equal in both directions of an undirected edge.

    Raises UsageError if the range is empty or exceeds 32 bits.
    """
    check_range(weight_min, weight_max)
    weights = below(hashes_of_arcs(graph, seed), weight_max - weight_min + 1) + weight_min
    return with_weights(graph, weights, {"kind": "random", "seed": seed, "min": weight_min, "max": weight_max})


def with_ones(graph: Graph) -> Graph:
    """``graph`` with every weight 1; itself if arcs are counted already."""
    if graph.weight_name is None:
        return graph
    return with_weights(graph, np.ones(graph.arcs, np.int32), {"kind": "unit"})


def as_floats(graph: Graph) -> Graph:
    """``graph`` with weights of float64 in the unit before scaling; itself if they are floats."""
    if graph.has_floats:
        return graph
    about = {name: value for name, value in graph.metadata.get("weights", {}).items() if name != "scale"}
    return replace(graph, weights=graph.weights / graph.scale, metadata={**graph.metadata, "weights": about})


def with_weights(graph: Graph, weights: np.ndarray, metadata: Mapping[str, Any]) -> Graph:
    """``graph`` with other weights, of shape (m,), as int32; ``metadata`` says where they come from."""
    return replace(graph, weights=weights.astype(np.int32), metadata={**graph.metadata, "weights": metadata})


def hashes_of_arcs(graph: Graph, seed: int) -> np.ndarray:
    """A random number for each arc, shape (m,), uint64."""
    if not graph.metadata.get("undirected"):
        return hashed(seed, _STREAM, graph.arcs)
    tails = graph.tails().astype(np.int64)
    pairs = np.minimum(tails, graph.indices) * graph.vertices + np.maximum(tails, graph.indices)
    return hashed_at(seed, _STREAM, pairs)
