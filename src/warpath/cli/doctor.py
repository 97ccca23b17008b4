"""``warpath doctor``: show the devices of this machine, and whether every kernel compiles on them."""

import argparse
import platform
import shutil
import subprocess

from ..device import Device
from ..errors import DeviceError
from ._places import print_places

HELP = """\
Show the devices found here (GPU, driver, CUDA, CuPy; compiler, cores), and whether each kernel compiles; the folders
that a job uses, with their file systems and what is wrong with them; and the network.

The exit status is 1 if a kernel does not compile or no device works.

examples:
  warpath doctor
  warpath doctor --device host
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", action="append", help="check this device only, cuda or host; may be repeated")


def main(arguments: argparse.Namespace) -> None:
    import warpath

    print(f"warpath {warpath.__version__}, Python {platform.python_version()}, {platform.platform()}")
    for package in ("numpy", "scipy", "numba", "cupy"):
        print(f"  {package:8} {_version_of(package)}")
    print(f"  driver   {_driver()}")
    print_places()
    working, broken = 0, []
    for name in arguments.device or ("cuda", "host"):
        works, failures = _examine(name)
        working += works
        broken += failures
    if broken:
        raise DeviceError(f"{len(broken)} kernels do not compile: {', '.join(broken)}")
    if not working:
        raise DeviceError("no device works here; see above for what to install")


def _examine(name: str) -> tuple[bool, list[str]]:
    """Print the facts of one device; return whether it works and which kernels do not compile."""
    from ..device import open_device

    print(f"\n{name}")
    try:
        device = open_device(name)
    except DeviceError as error:
        print(f"  not available: {error}")
        return False, []
    free, total = device.memory_bytes()
    for key, value in {**device.describe(), "memory": f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB free"}.items():
        print(f"  {key:18} {value}")
    return True, _compile_all(device)


def _compile_all(device: Device) -> list[str]:
    from ..device.kernel_source import ROOT, kernel_files, kernel_names

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


def _version_of(package: str) -> str:
    import importlib

    try:
        return importlib.import_module(package).__version__
    except ImportError:
        return "not installed"


def _driver() -> str:
    """The NVIDIA driver according to nvidia-smi. CuPy cannot tell if it is missing or too new for the driver."""
    if not shutil.which("nvidia-smi"):
        return "no nvidia-smi on the path"
    query = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, timeout=30)
    return (answer.stdout or answer.stderr).strip().replace("\n", "; ") or "nvidia-smi prints nothing"
