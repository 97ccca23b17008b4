"""No subject: cases that end in each way that a case must not, to test that they are found."""

import ctypes
import faulthandler
import time

import numpy as np

from fuzz.case import Case


def case(case: Case) -> None:
    """By its number: right, an exception, a hang, a crash, much memory, a write past an end."""
    if case.number == 1:
        raise ValueError("on purpose")
    if case.number == 2:
        time.sleep(60)
    if case.number == 3:
        faulthandler._sigsegv()
    if case.number == 4:
        assert b"x" * (200 << 20)
    if case.number == 5:
        array = np.zeros(2000, np.uint8)
        ctypes.memset(array.ctypes.data, 1, array.nbytes + 8)
