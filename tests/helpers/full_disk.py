"""A disk that is full, played by a limit on how far the files of a process may grow."""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def with_little_room(
    arguments: Sequence[str | Path], bytes_max: int, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python with ``arguments``, where no file may grow beyond ``bytes_max``; it keeps no bytecode."""
    return subprocess.run(
        [sys.executable, *arguments],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
