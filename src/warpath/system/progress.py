"""Shows on standard error how far work is that takes more than a second, if it is a terminal or in a notebook.

TQDM_DISABLE=1 in the environment turns this off.
"""

import os
import sys
from importlib.util import find_spec
from math import inf
from threading import RLock, Thread
from time import monotonic, sleep
from typing import Any

from .locks import Guard

DELAY_S = 1.0
_REFRESH_S = 0.5

_shown: list["Progress"] = []
_drawing = Guard()
_watch: Thread | None = None


class Progress:
    """A context manager for work, which calls it with the amount that is done. A bar appears if the work takes long.

    Before that it costs a few microseconds; tqdm is imported when the bar appears. Work that cannot be counted shows
    the time.

    Parameters
    ----------
    what : str
        The work, such as "solving".
    unit : str, optional
        Of the amounts, such as "sources". "B" is bytes.
    total : int, optional
        The whole amount.
    """

    def __init__(self, what: str, unit: str = "", total: int | None = None):
        self._what, self._unit, self._done, self._total = what, unit, 0, total
        self._begins = inf
        self._bar: Any = None

    def __enter__(self) -> "Progress":
        if _is_watched():
            self._begins = monotonic() + DELAY_S
            _shown.append(self)
            _start_watch()
            self.show_if_due()
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._begins < inf:
            with _drawing.lock:
                if self._bar is not None:
                    self._bar.close()
                if self in _shown:  # not in a process that was forked since
                    _shown.remove(self)

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say that ``done`` is done, and what the whole amount is if it was not known."""
        self._done, self._total = done, total or self._total
        self.show_if_due()

    def show_if_due(self) -> None:
        if monotonic() < self._begins:
            return
        with _drawing.lock:
            if self not in _shown:
                return
            if self._bar is None:
                self._bar = self._new_bar()
            self._bar.n, self._bar.total = self._done, self._total
            self._bar.refresh()

    def _new_bar(self) -> Any:
        if _in_notebook() and find_spec("ipywidgets"):
            from tqdm.notebook import tqdm
        else:  # without ipywidgets, a notebook shows text
            from tqdm import tqdm

        if not self._unit:
            return tqdm(desc=self._what, leave=False, bar_format="{desc} [{elapsed}]")
        in_bytes = self._unit == "B"
        unit = "B" if in_bytes else f" {self._unit}"
        sizes = {"initial": self._done, "total": self._total}
        return tqdm(desc=self._what, leave=False, unit=unit, unit_scale=in_bytes, unit_divisor=1024, **sizes)


def _forget_after_fork() -> None:
    """The bars are of the other process, one of whose threads may have held tqdm's lock."""
    if _shown and "tqdm" in sys.modules:
        sys.modules["tqdm"].tqdm.set_lock(RLock())
    _shown.clear()


os.register_at_fork(after_in_child=_forget_after_fork)


def _is_watched() -> bool:
    if os.environ.get("TQDM_DISABLE"):
        return False
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _start_watch() -> None:
    """Start the thread that shows work that does not call, once per process."""
    global _watch
    if _watch is None or not _watch.is_alive():  # after a fork it is not
        _watch = Thread(target=_keep_watch, daemon=True)
        _watch.start()


def _keep_watch() -> None:
    while True:
        sleep(_REFRESH_S)
        for progress in list(_shown):
            progress.show_if_due()
