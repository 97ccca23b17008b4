"""Shows on standard error how far work is that takes more than a second, if it is a terminal or in a notebook.

TQDM_DISABLE=1 in the environment turns this off.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import Any

DELAY_S = 1.0
_REFRESH_S = 0.5


class Progress:
    """A context manager that is called with the amount that is done, and shows a bar if the work takes long.

    It costs nothing before: tqdm is imported when the bar appears.

    Parameters
    ----------
    what : str
        The work, such as "solving".
    unit : str
        Of the amounts, such as "sources". "B" is bytes.
    """

    def __init__(self, what: str, unit: str):
        self._what, self._unit = what, unit
        self._bar: Any = None
        self._begins = monotonic() + DELAY_S

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int | None) -> None:
        """Say that ``done`` of ``total`` is done; ``total`` is None if it is not known."""
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        elif monotonic() >= self._begins and _is_watched():
            in_bytes = self._unit == "B"
            unit = "B" if in_bytes else f" {self._unit}"
            self._bar = _bar(self._what, total=total, initial=done, unit=unit, unit_scale=in_bytes, unit_divisor=1024)


@contextmanager
def elapsed(what: str) -> Iterator[None]:
    """Show the time since the beginning of work that cannot be counted, if it takes long."""
    if not _is_watched():
        yield
        return
    ended = Event()

    def show() -> None:
        if not ended.wait(DELAY_S):
            with _bar(what, bar_format="{desc} [{elapsed}]") as bar:
                while not ended.wait(_REFRESH_S):
                    bar.refresh()

    thread = Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _is_watched() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


def _bar(what: str, **options: Any) -> Any:
    from tqdm.auto import tqdm

    return tqdm(desc=what, leave=False, **options)
