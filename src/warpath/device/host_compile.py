"""Compiling for the host device with the machine's own C++ compiler, each text once: shared objects are cached by content.

The cache is ``$WARPATH_CACHE``, else ``$XDG_CACHE_HOME/warpath``, else ``~/.cache/warpath``; where that cannot be
written, a folder that lives as long as the process.
"""

import atexit
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

from ..atomic import written_whole
from ..errors import DeviceError, WarpathError

SIMT_FOLDER = Path(__file__).resolve().parent / "simt"

# CUDA's integers wrap, and its kernels look at one buffer through several types. Stack frames must fit a fiber.
FLAGS = (
    *("-x", "c++", "-std=c++17", "-O2", "-w", "-shared", "-fPIC", "-pthread", "-fvisibility=hidden"),
    *("-fwrapv", "-fno-strict-aliasing"),
    *(("-Wl,-undefined,dynamic_lookup",) if sys.platform == "darwin" else ()),
)

_ERROR = re.compile(r"^(?P<place>[^\n]*?): (?:fatal )?error: (?P<message>.*)$", re.MULTILINE)


def find_compiler() -> list[str]:
    """The compiler's command line: ``$CXX``, or else the first of c++, g++ and clang++ on the path.

    Raises DeviceError that says what to install.
    """
    wanted = shlex.split(os.environ.get("CXX", ""))
    for command in [wanted] if wanted else [["c++"], ["g++"], ["clang++"]]:
        path = shutil.which(command[0])
        if path is not None:
            return [path, *command[1:]]
    what = f"$CXX is {wanted[0]!r}, which is not there" if wanted else "none of c++, g++ and clang++ is there"
    raise DeviceError(
        f"the host device needs a C++ compiler, but {what}; install one (Debian and Ubuntu: apt install g++; "
        "conda: conda install -c conda-forge cxx-compiler; macOS: xcode-select --install) or set CXX to yours"
    )


@cache
def compiler_version(path: str) -> str:
    """The first line of what the compiler at ``path`` says of itself."""
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return answer.partition("\n")[0] or "unknown"


def compiled(text: str, subject: str) -> Path:
    """The shared object of the C++ ``text``, from the cache or new. Includes are looked up beside our headers.

    Raises DeviceError with the compiler's first error; ``subject`` says in it what was compiled.
    """
    command = find_compiler()
    name = f"{_key(command, text)}.so"
    try:
        return _compiled_into(cache_folder(), name, command, text, subject)
    except DeviceError:
        raise
    except (WarpathError, OSError):  # the cache cannot be written
        return _compiled_into(_temporary_folder(), name, command, text, subject)


def _compiled_into(folder: Path, name: str, command: list[str], text: str, subject: str) -> Path:
    target = folder / name
    if not target.is_file():
        with written_whole(target) as temporary:
            _compile([*command, *FLAGS, "-I", str(SIMT_FOLDER), "-o", str(temporary), "-"], text, subject)
    return target


def _compile(command: list[str], text: str, subject: str) -> None:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        raise DeviceError(f"the C++ compiler {command[0]} cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        match = _ERROR.search(done.stderr)
        if match is None:
            first_line = done.stderr.strip().partition("\n")[0] or f"exit status {done.returncode}"
            raise DeviceError(f"{subject} does not compile for the host with {command[0]}: {first_line}")
        raise DeviceError(f"{match['place']}: {match['message']} (compiling {subject} for the host with {command[0]})")


def _key(command: list[str], text: str) -> str:
    """A hash of all that the object depends on. The compiler is known by path, size and date: running it takes longer."""
    compiler = Path(command[0]).resolve()
    facts = compiler.stat()
    digest = hashlib.sha256()
    for part in (
        *(str(compiler), str(facts.st_size), str(facts.st_mtime_ns), *command[1:], *FLAGS),
        *(sys.platform, platform.machine(), _headers_hash(), text),
    ):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:32]


@cache
def _headers_hash() -> str:
    digest = hashlib.sha256()
    for header in sorted(SIMT_FOLDER.glob("*.h")):
        digest.update(header.name.encode() + b"\0" + header.read_bytes() + b"\0")
    return digest.hexdigest()


def cache_folder() -> Path:
    """The folder of compiled objects that the environment asks for, whether or not it can be written."""
    if os.environ.get("WARPATH_CACHE"):
        return Path(os.environ["WARPATH_CACHE"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "warpath"
    return Path("~/.cache/warpath").expanduser()


@cache
def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="warpath-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
