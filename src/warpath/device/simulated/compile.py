"""Compiling for the simulated GPU with the machine's C++ compiler; ``kernel_caches`` caches the shared objects."""

import ctypes
import errno
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from ...errors import DeviceError
from ...system.host_machine import processor_features
from ...system.kernel_caches import load_cached, store_and_load
from ...system.locks import one_at_a_time
from ..kernel_source import ROOT

SIMT_FOLDER = Path(__file__).resolve().parent / "simt"

# In CUDA, signed integers wrap, and kernels read one buffer as several types.
FLAGS = (
    *("-x", "c++", "-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden"),
    *("-fwrapv", "-fno-strict-aliasing"),
)

_COMPILERS = ("c++", "g++", "clang++", f"{platform.machine()}-conda-linux-gnu-c++")

# An error with a file and a line. The last error of collect2 and clang, a summary, has none.
_ERROR = re.compile(r"^(?P<place>[^\n]*?:\d+(?::\d+)?): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE)
_QUOTED_LINES_MAX = 6


def find_compiler() -> list[str]:
    """The compiler's command line: ``$CXX``, or c++, g++ or clang++ on the path or in Python's folder.

    The latter finds the compiler of a conda environment that is not activated. Raises DeviceError if there is none.
    """
    text = os.environ.get("CXX", "")
    try:
        wanted = shlex.split(text)
    except ValueError as error:
        raise DeviceError(f"CXX is {text!r}, which is not a command line ({error}); set it to a C++ compiler") from None
    beside_python = str(Path(sys.executable).parent)
    for folders in (None,) if wanted else (None, beside_python):
        for command in [wanted] if wanted else [[name] for name in _COMPILERS]:
            path = shutil.which(command[0], path=folders)
            if path is not None:
                return [path, *command[1:]]
    missing = f"{wanted[0]!r} (from $CXX) does not exist" if wanted else "there is no c++, g++ or clang++ on the path"
    raise DeviceError(
        f"the simulated GPU needs a C++ compiler, but {missing}; install one (Debian, Ubuntu: apt install g++; "
        "conda: conda install -c conda-forge cxx-compiler), or set CXX"
    )


@cache
def compiler_version(path: str) -> str:
    """The first line of the compiler's ``--version``."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        return "unknown"
    return done.stdout.partition("\n")[0] or "unknown"


@one_at_a_time
def load(text: str, subject: str, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    """Load C++ ``text``, which may include the headers of simt, as a shared object from the cache or compiled now.

    Raises DeviceError with the compiler's first error; ``subject`` names the text in the message.
    """
    command = find_compiler()
    key = _key(command, text)
    return load_cached(key, mode) or _compile_and_load(key, command, text, subject, mode)


def _compile_and_load(key: str, command: list[str], text: str, subject: str, mode: int) -> ctypes.CDLL:
    with _temporary_folder() as folder:
        compiled = Path(folder, f"{key}.so")
        _compile([*command, *FLAGS, "-I", str(SIMT_FOLDER), "-o", str(compiled), "-"], text, subject, folder)
        if not compiled.is_file():
            raise DeviceError(f"the C++ compiler {command[0]} writes no object for {subject}; set CXX to another one")
        try:
            # Without a usable cache, the object stays mapped after its file is removed.
            return store_and_load(compiled, key, mode) or ctypes.CDLL(str(compiled), mode)
        except OSError as error:
            raise DeviceError(
                f"{subject}, compiled with {command[0]}, cannot be loaded: {error}; if its file system forbids "
                "execution, set WARPATH_CACHE or TMPDIR to another folder"
            ) from error


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="warpath-", ignore_cleanup_errors=True)
    except OSError as error:
        raise DeviceError(f"no temporary folder for the C++ compiler: {error.strerror}; set TMPDIR") from error


def _compile(command: list[str], text: str, subject: str, folder: str) -> None:
    """Run the compiler on ``text``, with its temporary files in ``folder``."""
    source = text.encode("utf-8", "surrogateescape")
    # Without PATH, Python searches os.defpath for programs; compilers do not.
    environment = {"PATH": os.defpath, **os.environ, "TMPDIR": folder}
    try:
        done = subprocess.run(command, input=source, capture_output=True, check=False, env=environment)
    except OSError as error:
        raise DeviceError(f"the C++ compiler {command[0]} cannot be run: {error.strerror}") from error
    if done.returncode == 0:
        return
    output = done.stderr.decode("utf-8", "replace")
    full = next((reason for reason in map(os.strerror, (errno.ENOSPC, errno.EDQUOT)) if reason in output), None)
    if full is not None:
        raise DeviceError(
            f"{subject} cannot be compiled in {Path(folder).parent}: {full}; free some space, or set TMPDIR to another "
            "folder"
        )
    match = _ERROR.search(output)
    if match is None:  # the linker, or the compiler itself
        lines = [line.strip() for line in output.splitlines() if line.strip()][:_QUOTED_LINES_MAX]
        message = "; ".join(lines) or f"exit status {done.returncode}"
        raise DeviceError(f"{subject} does not compile for the simulated GPU with {command[0]}: {message}")
    file, _, line = match["place"].partition(":")
    place = f"{ROOT / file}:{line}" if (ROOT / file).is_file() else match["place"]
    raise DeviceError(f"{place}: {match['message']} (compiling {subject} for the simulated GPU with {command[0]})")


def _key(command: list[str], text: str) -> str:
    """A hash of everything that an object depends on.

    The compiler's size and date replace its version, which is slow to get. The processor counts because a compiler may
    use ``-march=native`` (in $CXX, or in a cluster's wrapper), and nodes may share a cache.
    """
    compiler = Path(command[0]).resolve()
    try:
        status = compiler.stat()
    except OSError as error:
        raise DeviceError(f"the C++ compiler {command[0]} cannot be run: {error.strerror}") from error
    digest = hashlib.sha256()
    for part in (
        *(str(compiler), str(status.st_size), str(status.st_mtime_ns), *command[1:], *FLAGS),
        *(sys.platform, platform.machine(), processor_features(), _headers(), text),
    ):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


@cache
def _headers() -> str:
    return "".join(header.read_text(encoding="utf-8") for header in sorted(SIMT_FOLDER.glob("*.h")))
