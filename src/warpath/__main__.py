"""The program ``warpath``, also ``python -m warpath``. An error ends it with one sentence and an exit status."""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from .cli import dispatch
from .errors import WarpathError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command in ``arguments`` (default: those of the process); return the exit status."""
    # A batch system ends jobs with SIGTERM. Leaving with an exception removes temporary files.
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
        # The reader of our output (head, less) has exited. Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    finally:
        signal.signal(signal.SIGTERM, previous)
    return 0


def _terminate(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(128 + signal.SIGTERM)


def _complain(sentence: str, exit_status: int) -> int:
    print(f"warpath: error: {sentence}", file=sys.stderr)
    return exit_status


if __name__ == "__main__":
    sys.exit(main())
