"""Compiling for the host device with the machine's C++ compiler. Objects are cached under a hash of their source.

Where the cache (``kernel_caches``) cannot be used, an object lives in a temporary folder while it is loaded.
"""

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

from ..errors import DeviceError
from ..locks import one_at_a_time
from .host_machine import processor_features
from .kernel_caches import keep, load_cached
from .kernel_source import ROOT

SIMT_FOLDER = Path(__file__).resolve().parent / "simt"

# In CUDA, signed integers wrap, and kernels read one buffer as several types.
FLAGS = (
    *("-x", "c++", "-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden"),
    *("-fwrapv", "-fno-strict-aliasing"),
    *(("-Wl,-undefined,dynamic_lookup",) if sys.platform == "darwin" else ()),
)

# The last one is how conda calls its own.
_COMPILERS = ("c++", "g++", "clang++", f"{platform.machine()}-conda-linux-gnu-c++")

# An error at a place in a source. Drivers (collect2, clang) end with an error too, which repeats that one was found.
_ERROR = re.compile(r"^(?P<place>[^\n]*?:\d+(?::\d+)?): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE)
_QUOTED_LINES_MAX = 6


def find_compiler() -> list[str]:
    """The compiler's command line: ``$CXX``, else the first of c++, g++ and clang++ on the path, or else beside Python.

    A job may run the Python of a conda environment that it has not activated, where neither the path nor $CXX leads to
    the environment's compiler. Raises DeviceError that says what to install if there is none.
    """
    text = os.environ.get("CXX", "")
    try:
        wanted = shlex.split(text)
    except ValueError as error:
        raise DeviceError(f"CXX, {text!r}, is no command line ({error}); set it to your C++ compiler") from None
    beside_python = str(Path(sys.executable).parent)
    for folders in (None,) if wanted else (None, beside_python):
        for command in [wanted] if wanted else [[name] for name in _COMPILERS]:
            path = shutil.which(command[0], path=folders)
            if path is not None:
                return [path, *command[1:]]
    what = (
        f"$CXX names {wanted[0] or repr(wanted[0])}, which does not exist"
        if wanted
        else "there is no c++, g++ or clang++ on the path"
    )
    raise DeviceError(
        f"the host device needs a C++ compiler, but {what}; install one (Debian, Ubuntu: apt install g++; "
        "conda: conda install -c conda-forge cxx-compiler; macOS: xcode-select --install), or set CXX to yours"
    )


@cache
def compiler_version(path: str) -> str:
    """The first line that the compiler at ``path`` prints for --version."""
    try:
        answer = subprocess.run(
            [path, "--version"], capture_output=True, text=True, errors="replace", check=False
        ).stdout
    except OSError:
        return "unknown"
    return answer.partition("\n")[0] or "unknown"


@one_at_a_time
def load(text: str, subject: str, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    """Load the C++ ``text`` as a shared object, from the cache or compiled now. It may include the headers in simt.

    Raises DeviceError with the compiler's first error; ``subject`` is what the message calls the text.
    """
    command = find_compiler()
    key = _key(command, text)
    return load_cached(key, mode) or _compile_and_load(key, command, text, subject, mode)


def _compile_and_load(key: str, command: list[str], text: str, subject: str, mode: int) -> ctypes.CDLL:
    with _temporary_folder() as folder:
        compiled = Path(folder, f"{key}.so")
        _compile([*command, *FLAGS, "-I", str(SIMT_FOLDER), "-o", str(compiled), "-"], text, subject, folder)
        if not compiled.is_file():
            raise DeviceError(f"the C++ compiler {command[0]} ends well but writes no object for {subject}; set CXX")
        try:
            # Where the cache cannot be used: a loaded object stays mapped after its file is removed.
            return keep(compiled, key, mode) or ctypes.CDLL(str(compiled), mode)
        except OSError as error:
            raise DeviceError(
                f"{subject}, compiled with {command[0]}, cannot be loaded: {error}; if files may not be executed "
                "there, set WARPATH_CACHE or TMPDIR to a folder where they may"
            ) from error


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="warpath-", ignore_cleanup_errors=True)
    except OSError as error:
        raise DeviceError(f"no temporary folder for the C++ compiler: {error.strerror}; set TMPDIR") from error


def _compile(command: list[str], text: str, subject: str, folder: str) -> None:
    """Run the compiler on ``text``; its own temporary files go into ``folder``, which is known to be writable."""
    source = text.encode("utf-8", "surrogateescape")
    # Without PATH, Python looks for programs where os.defpath says; compilers do not.
    environment = {"PATH": os.defpath, **os.environ, "TMPDIR": folder}
    try:
        done = subprocess.run(command, input=source, capture_output=True, check=False, env=environment)
    except OSError as error:
        raise DeviceError(f"the C++ compiler {command[0]} cannot be run: {error.strerror}") from error
    if done.returncode == 0:
        return
    said = done.stderr.decode("utf-8", "replace")
    full = next((reason for reason in map(os.strerror, (errno.ENOSPC, errno.EDQUOT)) if reason in said), None)
    if full is not None:
        raise DeviceError(
            f"{subject} cannot be compiled in {Path(folder).parent}: {full}; free some space, or set TMPDIR to another "
            "folder"
        )
    found = _ERROR.search(said)
    if found is None:  # the linker, or the compiler itself
        lines = [line.strip() for line in said.splitlines() if line.strip()][:_QUOTED_LINES_MAX]
        message = "; ".join(lines) or f"exit status {done.returncode}"
        raise DeviceError(f"{subject} does not compile for the host with {command[0]}: {message}")
    file, _, line = found["place"].partition(":")
    place = f"{ROOT / file}:{line}" if (ROOT / file).is_file() else found["place"]
    raise DeviceError(f"{place}: {found['message']} (compiling {subject} for the host with {command[0]})")


def _key(command: list[str], text: str) -> str:
    """A hash of all that an object depends on.

    The compiler's size and date stand for its slow --version. The processor counts because a compiler may make code for
    the one that it runs on (``-march=native`` in $CXX, or in a cluster's wrapper of it), and nodes may share a cache.
    """
    compiler = Path(command[0]).resolve()
    try:
        facts = compiler.stat()
    except OSError as error:
        raise DeviceError(f"the C++ compiler {command[0]} cannot be run: {error.strerror}") from error
    digest = hashlib.sha256()
    for part in (
        *(str(compiler), str(facts.st_size), str(facts.st_mtime_ns), *command[1:], *FLAGS),
        *(sys.platform, platform.machine(), processor_features(), _headers(), text),
    ):
        digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()[:32]


@cache
def _headers() -> str:
    return "".join(header.read_text(encoding="utf-8") for header in sorted(SIMT_FOLDER.glob("*.h")))
