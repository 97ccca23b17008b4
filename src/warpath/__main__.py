"""The program ``warpath``, also ``python -m warpath``: what leaves it is an exit status and at most one sentence."""

import os
import signal
import sys
from collections.abc import Sequence

from .cli import dispatch
from .errors import WarpathError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (default: the process's own) name; return the exit status."""
    # A batch system ends jobs with SIGTERM; leaving by an exception lets temporary files be removed.
    previous = signal.signal(signal.SIGTERM, _terminate)
    try:
        dispatch(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
    except WarpathError as error:
        return _complain(str(error), error.exit_status)
    except MemoryError as error:
        return _complain(f"this machine's memory does not hold the problem ({str(error) or 'no detail given'})", 1)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read our output (head, less) has left. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0


def _terminate(_signal, _frame) -> None:
    sys.exit(128 + signal.SIGTERM)


def _complain(sentence: str, exit_status: int) -> int:
    print(f"warpath: error: {sentence}", file=sys.stderr)
    return exit_status


if __name__ == "__main__":
    sys.exit(main())
