"""The program ``warpath``, also ``python -m warpath``. An error ends it with one sentence and an exit status.

Errors that are understood where they happen are WarpathErrors. This is the one place for what is left: it says so in a
sentence, and ``--debug``, before or after the command, shows where it happened.
"""

import os
import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType

from .cli import dispatch
from .errors import WarpathError, on_one_line

_DEBUG = "--debug"
_NUMBA_LOCATORS = "warpath.numba_cache.CacheLocator,InTreeCacheLocator,UserWideCacheLocator"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments`` (default: those of the process); return the exit status.

    ``--debug`` among them, or the environment variable WARPATH_DEBUG=1, adds the traceback to every error.
    """
    words = sys.argv[1:] if arguments is None else arguments
    given, options_end = words, words.index("--") if "--" in words else len(words)
    words = [word for place, word in enumerate(given) if word != _DEBUG or place > options_end]
    debug = len(words) < len(given) or os.environ.get("WARPATH_DEBUG", "") not in ("", "0")
    # Numba reads this when a command imports it. A folder that the user has chosen stays.
    if not os.environ.get("NUMBA_CACHE_DIR"):
        os.environ.setdefault("NUMBA_CACHE_LOCATOR_CLASSES", _NUMBA_LOCATORS)
    # A batch system ends jobs with SIGTERM. Leaving with an exception removes temporary files.
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        dispatch(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader of our output (head, less) has exited. Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except Exception as error:
        if debug:
            traceback.print_exc()
        return _complain(_sentence(error), error.exit_status if isinstance(error, WarpathError) else 1)
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(128 + signal.SIGTERM)


def _sentence(error: Exception) -> str:
    """What is wrong, for the user."""
    if isinstance(error, WarpathError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"this machine's memory does not hold the problem ({_one_line(error) or 'no detail given'})"
    if isinstance(error, RecursionError):
        return f"the input is nested too deeply to be read; run again with {_DEBUG} to see where"
    if isinstance(error, OSError) and error.strerror:
        places = " and ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
        return f"{places}: {error.strerror}" if places else f"{error.strerror}; run again with {_DEBUG} to see where"
    what = f"{type(error).__name__} ({text})" if (text := _one_line(error)) else type(error).__name__
    return f"{what}, which is a fault in warpath; run again with {_DEBUG} and report what it prints"


def _one_line(error: Exception) -> str:
    """The error's own words, cut to a length that a line holds."""
    words = " ".join(str(error).split())
    return words if len(words) <= 200 else f"{words[:197]}..."


def _complain(sentence: str, exit_status: int) -> int:
    """Print one line: names and values in it may hold anything."""
    print(f"warpath: error: {on_one_line(sentence)}", file=sys.stderr)
    return exit_status


if __name__ == "__main__":
    sys.exit(main())
