"""``warpath doctor``: show the devices of this machine, compile every kernel on them, and solve on the CPU."""

import argparse
import os
import platform
import shutil
import socket
import sys
import tempfile
from pathlib import Path

from .. import __version__
from ..device import Device, open_device
from ..device.kernel_source import ROOT, kernel_files, kernel_names
from ..errors import DeviceError
from ..graphs.csr import from_arcs
from ..library.solver import Solver
from ..system.folders import file_system, forbids_execution, is_on_a_network, nearest, why_unwritable
from ..system.kernel_caches import cache_folder, cupy_cache_folder, why_no_cupy_cache
from ..system.software import output_of, package_versions

_VARIABLES = (
    *("CXX", "CUDA_PATH", "CUDA_HOME", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CONDA_PREFIX", "SLURM_JOB_ID"),
    *("TMPDIR", "XDG_CACHE_HOME", "WARPATH_CACHE", "CUPY_CACHE_DIR", "NUMBA_CACHE_DIR"),
)

HELP = """\
Show the devices of this machine (GPU, driver, CUDA, CuPy; compiler, cores), the folders that warpath uses, with their
file systems and faults, and the network. Solve a graph on the CPU, and compile every kernel for the other devices: cuda
is a GPU; simulated is one that the CPU simulates, for tests. Without a GPU, the CPU solves.

The exit status is 1 if a kernel does not compile or none of the devices works.

examples:
  warpath doctor
  warpath doctor --device simulated
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device", action="append", help="cuda, cpu or simulated; repeat it for several (default: all)"
    )


def main(arguments: argparse.Namespace) -> None:
    print(f"warpath {__version__}, Python {platform.python_version()}, {platform.platform()}")
    versions = package_versions()
    if not any("cupy" in name for name in versions):
        versions["cupy"] = "not installed"
    for name, version in {**versions, "driver": _driver()}.items():
        print(f"  {name:12} {version}")
    print_folders()
    working, broken = 0, []
    for name in arguments.device or ("cuda", "cpu", "simulated"):
        works, failures = _examine(name)
        working += works
        broken += failures
    if broken:
        raise DeviceError(f"{len(broken)} kernels do not compile: {', '.join(broken)}")
    if not working:
        raise DeviceError("no device works; the lines above say what to install")


def _examine(name: str) -> tuple[bool, list[str]]:
    """Print facts about a device. Return whether it works, and the kernels that do not compile."""
    print(f"\n{name}")
    try:
        device = open_device(name)
    except DeviceError as error:
        print(f"  not available: {error}")
        return False, []
    device.use_in_thread()
    free, total = device.memory_bytes()
    for key, value in {**device.describe(), "memory": f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free"}.items():
        print(f"  {key:18} {value}")
    if device.kind == "cpu":
        star = from_arcs(1000, [0] * 999, range(1, 1000), [1] * 999)  # so many arcs that Numba is needed
        paths = Solver(star, device).sssp([0])
        print(f"  {'solver':18} {paths.variant}, certified")
        return True, []
    return True, _compile_all(device)


def _compile_all(device: Device) -> list[str]:
    broken = []
    print("  kernels")
    for file in kernel_files():
        label = file.relative_to(ROOT).as_posix()
        try:
            for kernel in kernel_names(file):
                device.kernel(file, kernel)
            print(f"    ok      {label}")
        except DeviceError as error:
            print(f"    BROKEN  {label}: {error}")
            broken.append(label)
    return broken


def _driver() -> str:
    """The NVIDIA driver that nvidia-smi reports. CuPy cannot report it if CuPy is missing or too new for the driver."""
    if not shutil.which("nvidia-smi"):
        return "no nvidia-smi on the path"
    answer = output_of("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    return answer.replace("\n", "; ") if answer else "nvidia-smi fails or hangs"


def print_folders() -> None:
    """Print the Python and the variables of this process, its folders, and the network interfaces."""
    from ..system.numba_cache import folder_for  # importing Numba takes half a second

    print("\nfolders")
    _print("Python", sys.executable)
    for name in _VARIABLES:
        if os.environ.get(name):
            _print(name, os.environ[name])
    noexec = "it is mounted noexec" if forbids_execution(nearest(cache_folder())) else None
    _print("simulated kernels", _described(cache_folder(), "WARPATH_CACHE", noexec))
    _print("CuPy kernels", _described(cupy_cache_folder(), "CUPY_CACHE_DIR", why_no_cupy_cache(cupy_cache_folder())))
    _print("Numba code", _described(folder_for(ROOT / "warpath" / "certificates"), "NUMBA_CACHE_DIR"))
    _print("temporary files", _described(Path(tempfile.gettempdir()), "TMPDIR", count_files=False))
    _print("current folder", _described(Path.cwd(), None, count_files=False))
    interfaces = [name for _, name in socket.if_nameindex() if name != "lo"]
    _print("network", ", ".join(interfaces) or "none; fetch graphs on a machine with a network")


def _print(label: str, text: str) -> None:
    print(f"  {label:18} {text}")


def _described(folder: Path, variable: str | None, reason: str | None = None, count_files: bool = True) -> str:
    """The folder, its file system, and why it cannot be used: it is not writable, or ``reason``."""
    existing = nearest(folder)
    kind = file_system(existing)
    facts = [f"{kind}, {shutil.disk_usage(existing).free / 2**30:.1f} GiB free"]
    if count_files:
        files = [file for file in folder.rglob("*") if file.is_file()] if os.path.isdir(folder) else []
        facts.insert(0, f"{len(files)} files, {sum(file.stat().st_size for file in files) / 2**20:.1f} MiB")
    if is_on_a_network(kind):
        facts.append("shared with other machines")
    reason = why_unwritable(folder) or reason
    if reason is not None:
        facts.append(f"NOT USABLE: {reason}")
        if variable is not None:
            facts.append(f"set {variable} to another folder")
    return f"{folder}: {'; '.join(facts)}"
