"""Locks for what several threads share; a process that is forked meanwhile finds them open."""

import os
import threading
import weakref
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class Guard:
    """``lock`` is a reentrant lock. A forked process has another one: the thread that may hold this one is not there.

    Take it by ``with guard.lock:`` alone, in which Ctrl-C cannot come between taking and keeping it.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        _guards.add(self)


_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


def _open_all() -> None:
    for guard in _guards:
        guard.lock = threading.RLock()


os.register_at_fork(after_in_child=_open_all)


def one_at_a_time(function: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """``function`` in one thread after the other."""
    guard = Guard()

    @wraps(function)
    def in_turn(*args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        with guard.lock:
            return function(*args, **kwargs)

    return in_turn


def once(function: Callable[..., _Answer]) -> Callable[..., _Answer]:
    """``functools.cache``; where several threads ask first, one of them computes, and the others wait."""
    cached: Any = one_at_a_time(cache(function))
    cached.__wrapped__ = function
    return cached


_on_all_cores = Guard()


def on_all_cores(function: Callable[_Given, _Answer]) -> Callable[_Given, _Answer]:
    """A parallel ``function`` of Numba, while no other one runs.

    Of Numba's threading layers, the one that is always there ends the process when two threads use it.
    """

    @wraps(function)
    def alone(*args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        with _on_all_cores.lock:
            return function(*args, **kwargs)

    return alone
