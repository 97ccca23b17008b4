"""Weights with fractions: the scale that makes them whole, and what to say of one that it does not."""

import re
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import GraphError, UsageError
from .csr import WEIGHT_LIMIT

# Nothing is tried twice, however long the number. The last group is not possessive itself: Python 3.11.2 goes on behind
# what such a group took before it failed, and "1e" would be a number.
UNSIGNED = rb"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?"
DECIMAL = re.compile(rb"[+-]?+" + UNSIGNED)
_PLACES_MAX = 9
_SHOWN = 40


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
