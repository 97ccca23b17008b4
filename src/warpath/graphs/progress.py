"""A line on the terminal that says how far a transfer is. Nothing where standard error is no terminal."""

import sys
import time

_MIB = 1 << 20
_BAR_WIDTH = 30
_REDRAW_S = 0.1


class ProgressBar:
    """Use as a context manager; leaving it wipes the line."""

    def __init__(self, label: str):
        self._label = label
        self._visible = sys.stderr.isatty()
        self._drawn = 0.0

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_exception) -> None:
        if self._visible:
            sys.stderr.write("\r\x1b[K")

    def report(self, done_bytes: int, whole_bytes: int | None) -> None:
        """Draw, if it is time for that; ``whole_bytes`` is None where it is not known."""
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
