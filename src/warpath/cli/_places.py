"""What ``warpath doctor`` says of the places that jobs of a cluster use: folders and the network."""

import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path

_VARIABLES = (
    *("CXX", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CONDA_PREFIX", "SLURM_JOB_ID"),
    *("TMPDIR", "XDG_CACHE_HOME", "WARPATH_CACHE", "CUPY_CACHE_DIR", "NUMBA_CACHE_DIR"),
)


def print_places() -> None:
    """Print this process's Python and variables, its folders, and whether there is a network."""
    from ..device.kernel_caches import cache_folder, cupy_cache_folder, why_no_cupy_cache
    from ..device.kernel_source import ROOT
    from ..numba_cache import folder_for

    print("\nplaces")
    _print("Python", sys.executable)
    for name in _VARIABLES:
        if os.environ.get(name):
            _print(name, os.environ[name])
    _print("host kernels", _described(cache_folder(), "WARPATH_CACHE", _why_no_objects(cache_folder())))
    _print("CuPy kernels", _described(cupy_cache_folder(), "CUPY_CACHE_DIR", why_no_cupy_cache(cupy_cache_folder())))
    _print("Numba code", _described(folder_for(ROOT / "warpath" / "certificates"), "NUMBA_CACHE_DIR"))
    _print("temporary files", _described(Path(tempfile.gettempdir()), "TMPDIR", counted=False))
    _print("this folder", _described(Path.cwd(), None, counted=False))
    interfaces = [name for _, name in socket.if_nameindex() if name != "lo"]
    _print("network", ", ".join(interfaces) or "none: fetch graphs on a machine that has one")


def _print(label: str, text: str) -> None:
    print(f"  {label:18} {text}")


def _described(folder: Path, variable: str | None, reason: str | None = None, counted: bool = True) -> str:
    """The folder, its file system, and why it cannot be used: nothing can be written, or else ``reason``."""
    from ..folders import file_system, is_on_a_network, nearest, why_unwritable

    there = nearest(folder)
    kind = file_system(there)
    facts = [f"{kind}, {shutil.disk_usage(there).free / 2**30:.1f} GiB free"]
    if counted:
        files = [file for file in folder.rglob("*") if file.is_file()] if os.path.isdir(folder) else []
        facts.insert(0, f"{len(files)} files, {sum(file.stat().st_size for file in files) / 2**20:.1f} MiB")
    if is_on_a_network(kind):
        facts.append("shared with other machines")
    reason = why_unwritable(folder) or reason
    if reason is not None:
        facts.append(f"NOT USABLE: {reason}")
        if variable is not None:
            facts.append(f"{variable} names another folder")
    return f"{folder}: {'; '.join(facts)}"


def _why_no_objects(folder: Path) -> str | None:
    """Why compiled objects cannot be loaded from ``folder``."""
    from ..folders import forbids_execution, nearest

    return "files in it may not be executed (it is mounted noexec)" if forbids_execution(nearest(folder)) else None
