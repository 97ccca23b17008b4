"""The program ``warpath``, also ``python -m warpath``. An error ends it with one sentence and an exit status."""

import contextlib
import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from types import FrameType
from typing import Any, cast

from .cli import dispatch
from .errors import UsageError, WarpathError, on_one_line

_DEBUG = "--debug"
_NUMBA_LOCATORS = "warpath.system.numba_cache.CacheLocator,InTreeCacheLocator,UserWideCacheLocator"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: the arguments of the process. ``--debug`` before ``--``, or the environment variable WARPATH_DEBUG=1,
        adds a traceback to each error.

    Returns
    -------
    int
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    options_end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:options_end] if word != _DEBUG]
    debug = len(options) < options_end or os.environ.get("WARPATH_DEBUG", "") not in ("", "0")
    # Numba reads this when a command imports it. A folder set by the user has precedence.
    if not os.environ.get("NUMBA_CACHE_DIR"):
        os.environ.setdefault("NUMBA_CACHE_LOCATOR_CLASSES", _NUMBA_LOCATORS)
    # A name may have letters that the terminal's encoding lacks.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    # Batch systems end jobs with SIGTERM. An exception removes temporary files.
    previous = signal.signal(signal.SIGTERM, _terminate)
    is_closed = sys.stdout is None
    sys.stdout = sys.stdout or io.StringIO()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _print_warning
            # PYTHONWARNINGS=error is for programmers. Here a warning is a line.
            warnings.filters = [entry for entry in warnings.filters if entry[0] != "error"]
            _check_threads()
            dispatch(options + words[options_end:])
        sys.stdout.flush()
        if is_closed and cast(io.StringIO, sys.stdout).getvalue():
            raise WarpathError("standard output is closed, so what the command says is lost; redirect it to a file")
    except KeyboardInterrupt:
        print("warpath: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader of the output (head, less) has exited. Python would raise the error again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Exception as error:
        if debug:
            traceback.print_exc()
        print(f"warpath: error: {on_one_line(_message(error))}", file=sys.stderr)
        return error.exit_status if isinstance(error, WarpathError) else 1
    finally:
        if is_closed:
            sys.stdout = None
        signal.signal(signal.SIGTERM, previous)
    return 0


def _check_threads() -> None:
    """Raise UsageError for numbers of threads with which Numba cannot be imported."""
    text = os.environ.get("NUMBA_NUM_THREADS", "")
    with contextlib.suppress(ValueError):  # Numba ignores what is no number
        if int(text) < 1:
            raise UsageError(f"NUMBA_NUM_THREADS={text} is not a number of threads; give at least 1, or unset it")


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"warpath: warning: {message}", file=sys.stderr)


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(128 + signal.SIGTERM)


def _message(error: Exception) -> str:
    if isinstance(error, WarpathError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"the problem does not fit into this machine's memory ({_detail(error) or 'no detail given'})"
    if isinstance(error, RecursionError):
        return f"the input is nested too deeply; run again with {_DEBUG} to see where"
    if isinstance(error, OSError) and error.strerror:
        files = " and ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
        return f"{files}: {error.strerror}" if files else f"{error.strerror}; run again with {_DEBUG} to see where"
    name = f"{type(error).__name__} ({text})" if (text := _detail(error)) else type(error).__name__
    return f"{name}, which is a fault in warpath; run again with {_DEBUG} and report what it prints"


def _detail(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else f"{text[:197]}..."


if __name__ == "__main__":
    sys.exit(main())
