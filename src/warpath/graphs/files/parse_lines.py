"""The compiled loop behind ``number_lines``, from bytes of lines to columns of integers.

The text ends with a line feed, where inner loops stop; so they do not check for the end of the text.
"""

from typing import Any

import numba
import numpy as np

INT64_MAX = 2**63 - 1
# A number with a larger exponent is out of range.
_EXPONENT_MAX = 10_000


@numba.njit(cache=True)
def parse(
    text: np.ndarray,
    tag: int,
    comments: np.ndarray,
    ignored: int,
    decimal: int,
    scale: int,
    lows: np.ndarray,
    highs: np.ndarray,
    values: np.ndarray,
    words: np.ndarray,
    begins: np.ndarray,
) -> tuple[int, int]:
    """Fill ``values``, shape (columns, at least the lines of ``text``), from ``text``, uint8.

    ``tag`` is a byte, 0 for none; ``comments``, uint8, are the bytes that begin a comment; ``ignored`` words follow the
    columns. Column ``decimal`` (-1: none) has decimal numbers and is multiplied by ``scale``. Returns the number of
    rows and the offset of the first malformed line, -1 if there is none.

    If ``words``, blanks of the shape of ``text``, is not empty, the numbers of that column are copied there instead.
    ``begins``, shape (at least the lines,), then is the offset of each row, or its complement if the number has a point
    or an exponent.
    """
    row = 0
    at = 0
    while at < len(text):
        start = at
        at = _skip_blanks(text, at)
        if _ends_line(text[at]) or _is_in(text[at], comments):
            while not _ends_line(text[at]):
                at += 1
            at = _next_line(text, at)
            if at < 0:
                return row, start
            continue
        if tag != 0:
            if text[at] != tag or not _is_blank(text[at + 1]):
                return row, start
            at = _skip_blanks(text, at + 1)
        for column in range(len(lows)):
            word = at
            if column == decimal and len(words):
                at, is_integer = _decimal_end(text, at)
                if at < 0 or not _ends_word(text[at]):
                    return row, start
                words[word:at] = text[word:at]
                begins[row] = start if is_integer else ~start
                at = _skip_blanks(text, at)
                continue
            negative = text[at] == 45
            if negative:
                at += 1
            digits_start = at
            value: Any = np.int64(0)
            while 48 <= text[at] <= 57:
                digit = np.int64(text[at]) - 48
                if value > (INT64_MAX - digit) // 10:
                    return row, start
                value = value * 10 + digit
                at += 1
            if at == digits_start or not _ends_word(text[at]):
                if column != decimal:
                    return row, start
                at, value, whole = _scaled_decimal(text, word, scale)
                if not whole or not _ends_word(text[at]):
                    return row, start
            else:
                if negative:
                    value = -value
                if column == decimal and scale != 1 and lows[column] <= value <= highs[column]:
                    value *= scale
            if value < lows[column] or value > highs[column]:
                return row, start
            values[column, row] = value
            at = _skip_blanks(text, at)
        for _ in range(ignored):
            if _ends_line(text[at]):
                return row, start
            while not _ends_word(text[at]):
                at += 1
            at = _skip_blanks(text, at)
        at = _next_line(text, at)
        if at < 0:
            return row, start
        row += 1
    return row, -1


@numba.njit(cache=True)
def _decimal_end(text: np.ndarray, at: int) -> tuple[int, bool]:
    """The end of the decimal number at ``at``, -1 if there is none, and whether it has no point or exponent."""
    if text[at] == 45 or text[at] == 43:
        at += 1
    digits = 0
    points = 0
    while 48 <= text[at] <= 57 or (text[at] == 46 and points == 0):
        if text[at] == 46:
            points += 1
        else:
            digits += 1
        at += 1
    if digits == 0:
        return -1, False
    if text[at] != 101 and text[at] != 69:
        return at, points == 0
    at += 1
    if text[at] == 45 or text[at] == 43:
        at += 1
    if not 48 <= text[at] <= 57:
        return -1, False
    while 48 <= text[at] <= 57:
        at += 1
    return at, False


@numba.njit(cache=True)
def _scaled_decimal(text: np.ndarray, at: int, scale: int) -> tuple[int, int, bool]:
    """The decimal number at ``at`` times ``scale``: its end, the product, and whether that is a whole int64.

    The number is mantissa * 10**power; ``zeros`` counts the last zeros, which the mantissa leaves out so far.
    """
    negative = text[at] == 45
    if negative or text[at] == 43:
        at += 1
    mantissa: Any = np.int64(0)
    zeros = 0
    power = 0
    digits = 0
    after_point = False
    while 48 <= text[at] <= 57 or (text[at] == 46 and not after_point):
        if text[at] == 46:
            after_point = True
            at += 1
            continue
        digit = np.int64(text[at]) - 48
        digits += 1
        if after_point:
            power -= 1
        if digit == 0:
            zeros += 1
        else:
            for _ in range(zeros + 1):
                if mantissa > INT64_MAX // 10:
                    return at, mantissa, False
                mantissa *= 10
            if mantissa > INT64_MAX - digit:
                return at, mantissa, False
            mantissa += digit
            zeros = 0
        at += 1
    if digits == 0:
        return at, mantissa, False
    power += zeros
    if text[at] == 101 or text[at] == 69:
        at += 1
        falling = text[at] == 45
        if falling or text[at] == 43:
            at += 1
        if not 48 <= text[at] <= 57:
            return at, mantissa, False
        exponent: Any = 0
        while 48 <= text[at] <= 57:
            exponent = min(exponent * 10 + np.int64(text[at]) - 48, _EXPONENT_MAX)
            at += 1
        power += -exponent if falling else exponent
    if mantissa == 0:
        return at, mantissa, True
    factor = np.int64(scale)
    while power < 0:  # divide by ten: the mantissa or the scale by two, and one of them by five
        for prime in (2, 5):
            if mantissa % prime == 0:
                mantissa //= prime
            elif factor % prime == 0:
                factor //= prime
            else:
                return at, mantissa, False
        power += 1
    while power > 0:
        if mantissa > INT64_MAX // 10:
            return at, mantissa, False
        mantissa *= 10
        power -= 1
    if mantissa > INT64_MAX // factor:
        return at, mantissa, False
    mantissa *= factor
    return at, -mantissa if negative else mantissa, True


@numba.njit(cache=True, inline="always")
def _is_blank(byte: int) -> bool:
    return byte == 32 or byte == 9 or byte == 11 or byte == 12


@numba.njit(cache=True)
def _is_in(byte: int, some: np.ndarray) -> bool:
    found = False
    for other in some:
        found |= byte == other
    return found


@numba.njit(cache=True, inline="always")
def _ends_line(byte: int) -> bool:
    return byte == 10 or byte == 13


@numba.njit(cache=True, inline="always")
def _ends_word(byte: int) -> bool:
    return _is_blank(byte) or _ends_line(byte)


@numba.njit(cache=True, inline="always")
def _skip_blanks(text: np.ndarray, at: int) -> int:
    while _is_blank(text[at]):
        at += 1
    return at


@numba.njit(cache=True, inline="always")
def _next_line(text: np.ndarray, at: int) -> int:
    """The offset of the next line; -1 if the line does not end at ``at``."""
    while text[at] == 13:
        at += 1
    return at + 1 if text[at] == 10 else -1
