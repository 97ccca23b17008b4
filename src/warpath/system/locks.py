"""Locks for data that threads share. In a forked process, they are released."""

import os
import threading
import weakref
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Guard:
    """A reentrant lock, used as ``with guard.lock:``. A forked process gets a new one: it has no other threads."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        _guards.add(self)


_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


def _renew_all() -> None:
    for guard in _guards:
        guard.lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_all)


def one_at_a_time(function: Callable[_Arguments, _Result], guard: Guard | None = None) -> Callable[_Arguments, _Result]:
    """``function`` called by one thread at a time, or by one of the functions with the same ``guard``."""
    guard = guard or Guard()

    @wraps(function)
    def locked(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with guard.lock:
            return function(*args, **kwargs)

    return locked


def once(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """``functools.cache`` for threads: the first caller computes, and the others wait."""
    cached: Any = one_at_a_time(cache(function))
    cached.__wrapped__ = function
    return cached


_all_cores = Guard()


def on_all_cores(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """A parallel function of Numba, one at a time: Numba's default threading layer aborts with concurrent callers."""
    return one_at_a_time(function, _all_cores)
