"""Random numbers that are the same on every machine and under every version of NumPy.

NumPy may change the streams of its generators between versions, and floating-point logarithms differ in their
last bit between C libraries. Graphs whose hashes are compared across machines cannot depend on either. Here the
i-th number of stream ``stream`` of ``seed`` is a hash of these three integers, computed in 64-bit integer
arithmetic, and any part of a stream can be computed by itself.

Use one stream number for each purpose (say, one for the weights, one for the positions), so that drawing more
numbers for one purpose changes no other:

    weights = integers(seed, stream=0, count=arcs, low=1, high=100)
    order = permutation(seed, stream=1, count=vertices)

The mixing function and its increment are those of SplitMix64: Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014.
"""

import numpy as np

_INCREMENT = 0x9E3779B97F4A7C15
_MASK_64 = 2**64 - 1
_SPAN_MAX = 2**32


def hashed(seed: int, stream: int, count: int, start: int = 0) -> np.ndarray:
    """Numbers ``start`` to ``start + count - 1`` of a stream: shape (count,), uint64, all 64 bits random.

    ``seed`` and ``stream`` may be any integers; they are taken modulo 2**64.
    """
    return hashed_at(seed, stream, np.arange(start, start + count, dtype=np.uint64))


def hashed_at(seed: int, stream: int, places: np.ndarray) -> np.ndarray:
    """The numbers of a stream at any ``places``, integers of one shape: uint64, of that shape.

    Equal places give equal numbers, so that anything with a number can have a random property.
    """
    state = _mixed_integer(_mixed_integer(seed + _INCREMENT) + stream * _INCREMENT)
    counters = places.astype(np.uint64)
    counters += np.uint64(1)
    counters *= np.uint64(_INCREMENT)
    counters += np.uint64(state)
    return _mix(counters)


def below(hashes: np.ndarray, bound: int | np.ndarray) -> np.ndarray:
    """Map uint64 ``hashes`` to integers 0..bound-1, equally likely: int64, of the shape of ``hashes``.

    ``bound`` is one number or an array of that shape, each 1..2**32. The result is the upper half of the
    128-bit product of hash and bound; probabilities differ by less than one part in 2**32.
    """
    bound = np.asarray(bound)
    if bound.size and (bound.min() < 1 or bound.max() > _SPAN_MAX):
        raise ValueError("a bound must lie in 1..2**32")
    bound = bound.astype(np.uint64)
    half = np.uint64(32)
    upper = (hashes >> half) * bound
    upper += ((hashes & np.uint64(2**32 - 1)) * bound) >> half
    upper >>= half
    return upper.astype(np.int64)


def integers(seed: int, stream: int, count: int, low: int, high: int) -> np.ndarray:
    """``count`` integers of low..high, both ends included, equally likely: shape (count,), int64.

    Raises ValueError if ``high`` is below ``low`` or the range holds more than 2**32 numbers.
    """
    if not 1 <= high - low + 1 <= _SPAN_MAX:
        raise ValueError(f"{low}..{high} is not a range of 1 to 2**32 integers")
    return below(hashed(seed, stream, count), high - low + 1) + low


def permutation(seed: int, stream: int, count: int) -> np.ndarray:
    """The numbers 0..count-1 in random order: shape (count,), int64."""
    return np.argsort(hashed(seed, stream, count), kind="stable")


def _mix(values: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser, in place on a uint64 array: a bijection that spreads every bit over all 64."""
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def _mixed_integer(value: int) -> int:
    """``_mix`` for one integer, taken modulo 2**64."""
    return int(_mix(np.array([value & _MASK_64], dtype=np.uint64))[0])
