"""A counter of what is done, on standard error if that is a terminal."""

import sys
import time

_REDRAW_S = 0.1


class Counter:
    """A context manager; leaving it erases the line."""

    def __init__(self, label: str):
        self._label = label
        self._visible = sys.stderr.isatty()
        self._drawn = 0.0

    def __enter__(self) -> "Counter":
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._visible:
            sys.stderr.write("\r\x1b[K")

    def report(self, done: int, whole: int) -> None:
        """Redraw if it is time to."""
        now = time.monotonic()
        if not self._visible or now - self._drawn < _REDRAW_S:
            return
        self._drawn = now
        sys.stderr.write(f"\r{self._label}: {done:,} of {whole:,}\x1b[K")
        sys.stderr.flush()

    def say(self, text: str) -> None:
        """Show ``text`` in place of a count, where what is done cannot be counted."""
        if self._visible:
            sys.stderr.write(f"\r{self._label}: {text}\x1b[K")
            sys.stderr.flush()
