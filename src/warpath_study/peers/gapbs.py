"""GAP Benchmark Suite: delta-stepping on one or several cores, from the user's copy of its sources.

``gapbs.cpp`` makes a peer in C of the suite's sssp.cc, compiled with the flags of its Makefile, so that its distances
can be certified; the suite's own program prints none.
"""

import hashlib
import os
import subprocess
from functools import cache
from pathlib import Path

from warpath.device.simulated.compile import find_compiler
from warpath.errors import DeviceError
from warpath.system.folders import folder_of_this_process

from .contract import MissingPeerError
from .in_c import peer_of

FOLDER = "WARPATH_GAPBS"
SHIM = Path(__file__).with_name("gapbs.cpp")
FLAGS = ("-std=c++11", "-O3", "-fopenmp", "-w", "-shared", "-fPIC")


def version() -> str:
    """A hash of sssp.cc, which has no version."""
    return f"sssp.cc {hashlib.sha256(_source().read_bytes()).hexdigest()[:12]}"


def _source() -> Path:
    folder = os.environ.get(FOLDER, "")
    file = Path(folder, "src", "sssp.cc")
    if not folder:
        raise MissingPeerError(
            "gapbs is not installed; clone sbeamer/gapbs from GitHub and set gapbs in config.yaml to it"
        )
    if not file.is_file():
        raise MissingPeerError(f"gapbs: there is no file {file}; set gapbs in config.yaml to a clone of sbeamer/gapbs")
    return file


@cache
def _compiled(source: Path) -> Path:
    """The library, in a folder that is removed when the process ends."""
    library = folder_of_this_process() / "gapbs.so"
    command = [*find_compiler(), *FLAGS, "-I", str(source.parent), "-o", str(library), str(SHIM)]
    compiled = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if compiled.returncode:
        first = next((line for line in compiled.stderr.splitlines() if "error" in line), "the compiler failed")
        raise DeviceError(f"{source} does not compile with {command[0]}: {first}")
    return library


PEER = peer_of(
    "gapbs",
    "GAP Benchmark Suite: delta-stepping, delta and threads tuned for the graph",
    lambda: _compiled(_source()),
    version,
    (SHIM,),
)
