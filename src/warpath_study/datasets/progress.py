"""A progress bar for a transfer, on standard error if that is a terminal."""

import sys
import time

_MIB = 1 << 20
_BAR_WIDTH = 30
_REDRAW_S = 0.1


class ProgressBar:
    """A context manager; leaving it erases the line."""

    def __init__(self, label: str):
        self._label = label
        self._visible = sys.stderr.isatty()
        self._drawn = 0.0

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._visible:
            sys.stderr.write("\r\x1b[K")

    def report(self, done_bytes: int, whole_bytes: int | None) -> None:
        """Redraw if it is time to; ``whole_bytes`` is None if it is unknown."""
        now = time.monotonic()
        if not self._visible or now - self._drawn < _REDRAW_S:
            return
        self._drawn = now
        sys.stderr.write(f"\r{self._label}  {_progress(done_bytes, whole_bytes)}\x1b[K")
        sys.stderr.flush()


def _progress(done_bytes: int, whole_bytes: int | None) -> str:
    if not whole_bytes:
        return f"{done_bytes / _MIB:.1f} MiB"
    share = min(done_bytes / whole_bytes, 1.0)
    bar = "=" * round(share * _BAR_WIDTH)
    return f"[{bar:<{_BAR_WIDTH}}] {share:4.0%}  {done_bytes / _MIB:.1f} of {whole_bytes / _MIB:.1f} MiB"
