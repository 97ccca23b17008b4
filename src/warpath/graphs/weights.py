"""Weights of arcs: whole ones from fractions, by a scale; and random ones, for graphs that have none.

Random weights are equally likely, or like road lengths. Weight i comes from a hash of the seed and of i, the arc's
position in ``indices``, or, in an undirected graph, of its two ends: the same on every machine and with every version
of Python and NumPy.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct

from ..errors import GraphError, UsageError
from .csr import WEIGHT_LIMIT, Graph
from .random_numbers import below, hashed, hashed_at

# Nothing is tried twice, however long the number. The last group is not possessive itself: Python 3.11.2 goes on behind
# what such a group took before it failed, and "1e" would be a number.
UNSIGNED = rb"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?"
DECIMAL = re.compile(rb"[+-]?+" + UNSIGNED)
_PLACES_MAX = 9
_SHOWN = 40
# A separate stream (the letters of "weights"), so that weights are independent of the shape of a generated graph.
_STREAM = int.from_bytes(b"weights", "big")

# Quantiles of the arc lengths of New York's roads in the ninth DIMACS challenge: at each 32nd, and in the longest 32nd,
# where lengths grow tenfold, at each halving of what is left. Between two quantiles a length is equally likely
# everywhere. Mean, deviation, and the quantiles from a tenth on are within a few per cent of New York's, but lengths of
# roads that meet are independent, as those of real roads are not.
LENGTHS = (
    1, 238, 336, 404, 473, 537, 597, 653, 687, 729, 756, 784, 807, 838, 873, 905, 951, 1014, 1079, 1144, 1225, 1320,
    1410, 1504, 1615, 1747, 1897, 2056, 2258, 2480, 2817, 3593, 4633, 6003, 7667, 9759, 11900, 14449, 17651, 21185,
    23771, 26751, 28526, 34918, 36421, 36946,
)  # fmt: skip
_BITS = 32
_STEPS = 32
_HALVINGS = 18
# The share of arcs that are shorter than each length, in 2**32nds.
_SHARES = (
    *((step << _BITS) // _STEPS for step in range(_STEPS)),
    *((1 << _BITS) - (1 << (_BITS - power)) for power in range(6, _HALVINGS + 1)),
    1 << _BITS,
)


def checked_scale(scale: Any) -> int:
    """``scale`` as an int, 1 for None; UsageError if it is not a whole number of 1 to 10**9."""
    if scale is None:
        return 1
    if not isinstance(scale, int | np.integer) or isinstance(scale, bool) or not 1 <= scale <= 10**_PLACES_MAX:
        raise UsageError(f"the scale of weights must be a whole number from 1 to {10**_PLACES_MAX}, not {scale!r}")
    return int(scale)


def _advice(places: int, largest: float) -> str:
    """What to do about weights up to ``largest`` with so many digits after the point."""
    if places > _PLACES_MAX or largest * 10**places > WEIGHT_LIMIT:
        return "no power of ten makes all weights whole within 32 bits; round them first"
    scale = 10**places
    return f"choose --scale {scale} (in Python scale={scale})"


def fault_of_weight(word: bytes, scale: int, others: Iterable[bytes], largest: int) -> str | None:
    """What is wrong with the weight ``word`` of a text, None if nothing is.

    ``others`` are the words of the same column from here on; the advice takes them in. ``largest`` is the largest
    weight before them.
    """
    shown = word.decode("utf-8", errors="backslashreplace")
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    if not DECIMAL.fullmatch(word):
        return f"{shown!r} is not a number"
    times = f"{shown} times the scale {scale}" if scale != 1 else shown
    number = _decimal(word)
    if number and number.adjusted() > 20:
        return f"{times} does not fit 32 bits (at most {WEIGHT_LIMIT} in absolute value)"
    if not number or number.adjusted() < -40 or (Fraction(number) * scale).denominator != 1:
        if not number:
            return None
        numbers = [_decimal(other) for other in others if DECIMAL.fullmatch(other)]
        places = max(_places(other) for other in numbers)
        return f"{times} is not a whole number; {_advice(places, max(largest, *map(_size, numbers)))}"
    if abs(Fraction(number) * scale) > WEIGHT_LIMIT:
        return f"{times} does not fit 32 bits (at most {WEIGHT_LIMIT} in absolute value)"
    return f"{times} has too many digits" if b"." in word or b"e" in word.lower() else None


def whole_weights(weights: np.ndarray, scale: int, place: Callable[[int], str]) -> np.ndarray:
    """An array of weights times ``scale`` as int32; ``place`` says where weight i stands: "entry (0, 1)".

    A float is taken where ``round(weight * scale) / scale`` is that float again; truth values count 1. Raises
    GraphError for anything else, with the scale that would do.
    """
    if weights.dtype.kind == "b":
        return np.full(len(weights), scale, np.int32)
    if weights.dtype.kind not in "iuf":
        raise GraphError(f"the weights are {weights.dtype}; a weight is a real number")
    if not len(weights):
        return np.zeros(0, np.int32)
    scaled, whole = _scaled(weights, scale)
    if whole.all():
        return scaled.astype(np.int32)
    first = int(np.argmin(whole))
    weight = weights[first].item()
    said = f"{place(first)} is {weight}"
    if not np.isfinite(weight):
        raise GraphError(f"{said}; a weight is a finite number")
    if weights.dtype.kind in "iu" or round(weight * scale) == weight * scale:
        times = f" times the scale {scale}" if scale != 1 else ""
        raise GraphError(f"{said}{times}; weights are at most {WEIGHT_LIMIT} in absolute value")
    finite = weights[np.isfinite(weights)]
    places = next((k for k in range(1, _PLACES_MAX + 1) if _scaled(finite, 10**k)[1].all()), _PLACES_MAX + 1)
    times = f"which times the scale {scale} is" if scale != 1 else "which is"
    raise GraphError(f"{said}, {times} not a whole number; {_advice(places, 0)}")


def decimal_text(weight: int, scale: int) -> str:
    """``weight / scale``, exactly. Raises UsageError if that has no finite decimals."""
    exact = Fraction(weight, scale)
    places = next((k for k in range(31) if exact.denominator and 10**k % exact.denominator == 0), None)
    if places is None:
        raise UsageError(f"weights in 1/{scale} have no finite decimals; save the graph as .npz")
    digits = f"{abs(exact.numerator) * 10**places // exact.denominator:0{places + 1}d}"
    sign = "-" if weight < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def _scaled(weights: np.ndarray, scale: int) -> tuple[np.ndarray, np.ndarray]:
    """The weights times ``scale``, and which of them are whole and fit."""
    if weights.dtype.kind in "iu":
        limit = WEIGHT_LIMIT // scale
        fits = (weights <= limit) & (weights >= -limit) if weights.dtype.kind == "i" else weights <= limit
        return np.where(fits, weights, 0).astype(np.int64) * scale, fits
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.rint(weights.astype(np.float64) * scale)
        back = (scaled / scale).astype(weights.dtype)
        return scaled, (back == weights) & (np.abs(scaled) <= WEIGHT_LIMIT)


def _decimal(word: bytes) -> Decimal:
    """The number that ``word`` spells, but exponents beyond all weights, which Decimal may refuse, become smaller."""
    mantissa, _, exponent = word.decode().lower().partition("e")
    sign = "-" if exponent.startswith("-") else ""
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    return Decimal(f"{mantissa}e{sign}{digits if len(digits) < 6 else 99_999}")


def _places(number: Decimal) -> int:
    """How many digits after the point it takes to write ``number``."""
    exponent = number.normalize(Context(prec=len(number.as_tuple().digits) or 1)).as_tuple().exponent
    return max(0, -int(exponent))


def _size(number: Decimal) -> float:
    return float(abs(number))


def check_range(weight_min: int, weight_max: int) -> None:
    """Raise UsageError for an empty range or one beyond 32 bits, and for bounds that are no int."""
    if not isinstance(weight_min, int) or not isinstance(weight_max, int):
        raise UsageError(f"weights cannot be drawn from {weight_min!r}..{weight_max!r}; the bounds must be of type int")
    if not -WEIGHT_LIMIT <= weight_min <= weight_max <= WEIGHT_LIMIT:
        raise UsageError(
            f"weights cannot be drawn from {weight_min}..{weight_max}; the smallest must not exceed the largest, "
            f"and neither may exceed {WEIGHT_LIMIT} in absolute value"
        )


def given_weights(scale: int) -> dict:
    """What ``about["weights"]`` says of weights that a file gave."""
    return {"kind": "given"} if scale == 1 else {"kind": "given", "scale": scale}


def with_random_weights(graph: Graph, seed: int, weight_min: int = 1, weight_max: int = 100) -> Graph:
    """``graph`` with every weight replaced by one of weight_min..weight_max, equally likely.

    If ``about`` says that the graph is undirected, the weight is drawn by the two ends and is the same both ways.
    ``about["weights"]`` of the new graph records seed and range. Raises UsageError for an empty range or one beyond
    32 bits.
    """
    check_range(weight_min, weight_max)
    weights = below(_hashes(graph, seed), weight_max - weight_min + 1) + weight_min
    return _with(graph, weights, {"kind": "random", "seed": seed, "min": weight_min, "max": weight_max})


def with_road_lengths(graph: Graph, seed: int) -> Graph:
    """``graph`` with every weight replaced by a length drawn like those of New York's roads, see ``road_lengths``.

    Drawn by the two ends in an undirected graph, as in ``with_random_weights``. ``about["weights"]`` of the new graph
    records seed, range and the rule.
    """
    recorded = {"kind": "random", "seed": seed, "min": LENGTHS[0], "max": LENGTHS[-1], "like": "road_lengths"}
    return _with(graph, road_lengths(_hashes(graph, seed)), recorded)


def road_lengths(hashes: np.ndarray) -> np.ndarray:
    """A length like those of New York's roads for each of ``hashes``, uint64 with all bits random: int64, as many.

    Only integers are computed with, so that equal hashes give equal lengths on every machine.
    """
    shares, lengths = np.array(_SHARES), np.array(LENGTHS)
    share = below(hashes, 1 << _BITS)
    place = np.searchsorted(shares, share, side="right") - 1
    above = (share - shares[place]) * np.diff(lengths)[place] // np.diff(shares)[place]
    return lengths[place] + above


class WeightRule(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How weights are drawn: equally likely from min..max, or like something measured; alike both ways of an edge."""

    seed: Annotated[int, Meta(description="Seed of the random numbers.")]
    min: Annotated[int | None, Meta(description="Smallest weight.")] = None
    max: Annotated[int | None, Meta(description="Largest weight.")] = None
    like: Annotated[
        Literal["road_lengths"] | None,
        Meta(description="road_lengths: distributed like the lengths of New York's roads."),
    ] = None

    def __post_init__(self) -> None:
        if {self.min is not None, self.max is not None} != {self.like is None}:
            raise ValueError("Weights need `seed` and either `like` or both `min` and `max`")


def with_drawn(graph: Graph, rule: WeightRule) -> Graph:
    """``graph`` with weights drawn as ``rule`` says."""
    if rule.min is None or rule.max is None:
        return with_road_lengths(graph, rule.seed)
    return with_random_weights(graph, rule.seed, rule.min, rule.max)


def with_ones(graph: Graph) -> Graph:
    """``graph`` with every weight 1."""
    return replace(graph, weights=np.ones(graph.arcs, np.int32), about={**graph.about, "weights": {"kind": "unit"}})


def _with(graph: Graph, weights: np.ndarray, recorded: Mapping[str, Any]) -> Graph:
    return replace(graph, weights=weights.astype(np.int32), about={**graph.about, "weights": recorded})


def _hashes(graph: Graph, seed: int) -> np.ndarray:
    """A random number for each arc: shape (m,), uint64."""
    if not graph.about.get("undirected"):
        return hashed(seed, _STREAM, graph.arcs)
    tails = graph.sources().astype(np.int64)
    pairs = np.minimum(tails, graph.indices) * graph.vertices + np.maximum(tails, graph.indices)
    return hashed_at(seed, _STREAM, pairs)
