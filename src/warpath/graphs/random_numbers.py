"""Random numbers that are equal on every machine and with every version of NumPy.

NumPy may change its generators between versions, and floating-point logarithms differ between C libraries. Here number
i of a stream is a hash of the seed, the stream and i, in 64-bit integer arithmetic; any part can be computed alone.
Each purpose (weights, positions) has a stream of its own, so that drawing more numbers for one changes no other:

    weights = integers(seed, stream=0, count=arcs, low=1, high=100)
    order = permutation(seed, stream=1, count=vertices)

The mixing function and its increment are from SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014.
"""

import numpy as np

_INCREMENT = 0x9E3779B97F4A7C15
_MASK_64 = 2**64 - 1
_SPAN_MAX = 2**32


def hashed(seed: int, stream: int, count: int, start: int = 0) -> np.ndarray:
    """Numbers ``start`` to ``start + count - 1`` of a stream: shape (count,), uint64."""
    return hashed_at(seed, stream, np.arange(start, start + count, dtype=np.uint64))


def hashed_at(seed: int, stream: int, positions: np.ndarray) -> np.ndarray:
    """The numbers of a stream at ``positions``: uint64, of the same shape."""
    state = _mixed_integer(_mixed_integer(seed + _INCREMENT) + stream * _INCREMENT)
    counters = positions.astype(np.uint64)
    counters += np.uint64(1)
    counters *= np.uint64(_INCREMENT)
    counters += np.uint64(state)
    return _mix(counters)


def below(hashes: np.ndarray, bound: int | np.ndarray) -> np.ndarray:
    """Map uint64 ``hashes`` to uniform integers 0..bound-1, int64. Bounds are 1..2**32.

    The result is the upper half of the 128-bit product; probabilities differ by less than one part in 2**32.
    """
    bound = np.asarray(bound)
    if bound.size and (bound.min() < 1 or bound.max() > _SPAN_MAX):
        raise ValueError("a bound must be within 1..2**32")
    bound = bound.astype(np.uint64)
    half = np.uint64(32)
    upper = (hashes >> half) * bound
    upper += ((hashes & np.uint64(2**32 - 1)) * bound) >> half
    upper >>= half
    return upper.astype(np.int64)


def integers(seed: int, stream: int, count: int, low: int, high: int) -> np.ndarray:
    """Uniform integers low..high: shape (count,), int64. Raises ValueError if the range is empty or exceeds 2**32."""
    if not 1 <= high - low + 1 <= _SPAN_MAX:
        raise ValueError(f"{low}..{high} is not a range of 1 to 2**32 integers")
    return below(hashed(seed, stream, count), high - low + 1) + low


def permutation(seed: int, stream: int, count: int) -> np.ndarray:
    """The numbers 0..count-1 in random order: shape (count,), int64."""
    return np.argsort(hashed(seed, stream, count), kind="stable")


def _mix(values: np.ndarray) -> np.ndarray:
    """SplitMix64's finaliser, in place on a uint64 array."""
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def _mixed_integer(value: int) -> int:
    """``_mix`` for one integer, taken modulo 2**64."""
    return int(_mix(np.array([value & _MASK_64], dtype=np.uint64))[0])
