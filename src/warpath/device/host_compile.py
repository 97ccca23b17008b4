"""Compiling for the host device with the machine's C++ compiler. Objects are cached under a hash of their source.

The cache is ``$WARPATH_CACHE``, else ``$XDG_CACHE_HOME/warpath``, else ``~/.cache/warpath``; if that cannot be written,
it is a temporary folder that is removed when the process ends.
"""

import atexit
import ctypes
import hashlib
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

from ..atomic import written_whole
from ..errors import DeviceError, WarpathError

SIMT_FOLDER = Path(__file__).resolve().parent / "simt"

# In CUDA, signed integers wrap, and kernels read one buffer as several types.
FLAGS = (
    *("-x", "c++", "-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden"),
    *("-fwrapv", "-fno-strict-aliasing"),
    *(("-Wl,-undefined,dynamic_lookup",) if sys.platform == "darwin" else ()),
)

_ERROR = re.compile(r"^(?P<place>[^\n]*?): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE)

# Temporary names in the cache differ by process, not by thread.
_lock = threading.Lock()


def find_compiler() -> list[str]:
    """The compiler's command line: ``$CXX``, else the first of c++, g++ and clang++ on the path.

    Raises DeviceError that says what to install if there is none.
    """
    wanted = shlex.split(os.environ.get("CXX", ""))
    for command in [wanted] if wanted else [["c++"], ["g++"], ["clang++"]]:
        path = shutil.which(command[0])
        if path is not None:
            return [path, *command[1:]]
    what = f"$CXX names {wanted[0]}, which does not exist" if wanted else "there is no c++, g++ or clang++ on the path"
    raise DeviceError(
        f"the host device needs a C++ compiler, but {what}; install one (Debian, Ubuntu: apt install g++; "
        "conda: conda install -c conda-forge cxx-compiler; macOS: xcode-select --install), or set CXX to yours"
    )


@cache
def compiler_version(path: str) -> str:
    """The first line that the compiler at ``path`` prints for --version."""
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return answer.partition("\n")[0] or "unknown"


def cache_folder() -> Path:
    """The folder for compiled objects; it may not exist or not be writable."""
    if os.environ.get("WARPATH_CACHE"):
        return Path(os.environ["WARPATH_CACHE"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "warpath")
    return Path(os.path.expanduser("~"), ".cache", "warpath")


def load(text: str, subject: str, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    """Load the C++ ``text`` as a shared object, from the cache or compiled now. It may include the headers in simt.

    Raises DeviceError with the compiler's first error; ``subject`` is what the message calls the text.
    """
    command = find_compiler()
    name = f"{_key(command, text)}.so"
    with _lock:
        try:
            return _load_from(cache_folder(), name, command, text, subject, mode)
        except DeviceError:
            raise
        except (WarpathError, OSError):  # the cache cannot be written, or its file system forbids execution
            return _load_from(_temporary_folder(), name, command, text, subject, mode)


def _load_from(folder: Path, name: str, command: list[str], text: str, subject: str, mode: int) -> ctypes.CDLL:
    target = folder / name
    if target.is_file():
        try:
            return ctypes.CDLL(str(target), mode)
        except OSError:
            pass  # damaged, or compiled on another machine with newer libraries that shares this folder
    with written_whole(target) as temporary:
        _compile([*command, *FLAGS, "-I", str(SIMT_FOLDER), "-o", str(temporary), "-"], text, subject)
    return ctypes.CDLL(str(target), mode)


def _compile(command: list[str], text: str, subject: str) -> None:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise DeviceError(f"the C++ compiler {command[0]} cannot be run: {error.strerror}") from error
    if done.returncode == 0:
        return
    found = _ERROR.search(done.stderr)
    if found is None:
        message = done.stderr.strip().partition("\n")[0] or f"exit status {done.returncode}"
        raise DeviceError(f"{subject} does not compile for the host with {command[0]}: {message}")
    raise DeviceError(f"{found['place']}: {found['message']} (compiling {subject} for the host with {command[0]})")


def _key(command: list[str], text: str) -> str:
    """A hash of all that an object depends on. The compiler's size and date stand for its slow --version."""
    compiler = Path(command[0]).resolve()
    facts = compiler.stat()
    digest = hashlib.sha256()
    for part in (
        *(str(compiler), str(facts.st_size), str(facts.st_mtime_ns), *command[1:], *FLAGS),
        *(sys.platform, platform.machine(), _headers(), text),
    ):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:32]


@cache
def _headers() -> str:
    return "".join(header.read_text(encoding="utf-8") for header in sorted(SIMT_FOLDER.glob("*.h")))


@cache
def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="warpath-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
