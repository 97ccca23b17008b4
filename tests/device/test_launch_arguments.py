"""Launches take their arguments by the names in the kernel's text, which are those that the compiler finds."""

import ctypes
import re
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from every_device import KERNELS
from test_cuda_kernel import FewGpus

from warpath.device.cuda_kernel import CudaKernel
from warpath.device.kernel_source import expanded_source, kernel_files, parameter_names
from warpath.device.simulated.compile import SIMT_FOLDER, find_compiler
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError

FILES = [*kernel_files(), *(file for file in sorted(KERNELS.glob("*.cu")) if file.name != "broken.cu")]


def names_in_debug_information(text, folder):
    """The names of the parameters of each ``extern "C"`` function that the compiler finds in ``text``."""
    compiled = folder / "kernels.o"
    options = ["-x", "c++", "-std=c++17", "-O0", "-g", "-w", "-c", "-I", SIMT_FOLDER, "-o", compiled, "-"]
    subprocess.run([*find_compiler(), *options], input=text, text=True, check=True)
    shown = subprocess.run(["readelf", "--debug-dump=info", compiled], capture_output=True, text=True, check=True)
    found, names = {}, []
    for entry in re.split(r"\n <\w+><\w+>: ", shown.stdout):
        name = re.search(r"DW_AT_name .*?(\w+)\n", entry)
        if "(DW_TAG_subprogram)" in entry:
            names = []
            if name and "DW_AT_external" in entry and "DW_AT_linkage_name" not in entry:
                found[name[1]] = names
        elif "(DW_TAG_formal_parameter)" in entry and name:
            names.append(name[1])
    return found


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf is not installed")
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_names_are_those_that_the_compiler_finds(file, tmp_path):
    source = expanded_source(file)
    compiled = names_in_debug_information(f'#include "kernel.h"\n{source}', tmp_path)
    read = dict(parameter_names(source))
    read.pop("not_compiled", None)  # an #if leaves it out
    assert read and {name: compiled.get(name) for name in read} == read


def test_names_are_read_whatever_the_text_looks_like():
    text = """
    // extern "C" __global__ void old(int gone)
    #define Number float
    #define ROW int columns, \\
        const Number *row /* a row, of columns */
    #define COUNTED(part) part[0]
    extern "C" __global__ void __launch_bounds__(32) sum(int rows, // how many, in all
        ROW, const unsigned long long *__restrict__ first,Number*last, const int4& cell)
    { COUNTED(last) = 0; }
    extern "C" __global__ void empty() {}
    """
    assert parameter_names(text) == {"sum": ["rows", "columns", "row", "first", "last", "cell"], "empty": []}


class OnAGpu:
    """An array of a GPU that is not there."""

    def __init__(self, address):
        self.data = SimpleNamespace(ptr=address)


def kernel_of_a_gpu():
    gpu = FewGpus(0)
    gpu.xp.ndarray = OnAGpu
    return CudaKernel(gpu, "add_one", parameter_names(expanded_source(KERNELS / "plain.cu"))["add_one"], gpu)


@pytest.fixture(params=["simulated", "cuda"])
def kernel_and_array(request):
    if request.param == "cuda":
        return kernel_of_a_gpu(), OnAGpu(4096)
    return SimulatedDevice().kernel(KERNELS / "plain.cu", "add_one"), np.zeros(4, np.int32)


@pytest.mark.parametrize(
    ("left_out", "further", "named"),
    [("count", [], "count"), ("count", ["counts"], "counts"), (None, ["length"], "length")],
    ids=["missing", "misspelled", "surplus"],
)
def test_a_wrong_name_is_refused(kernel_and_array, left_out, further, named):
    kernel, array = kernel_and_array
    right = {"input": array, "output": array, "count": np.int32(4)}
    given = {name: value for name, value in right.items() if name != left_out} | dict.fromkeys(further, np.int32(4))
    for launch in (kernel, kernel.bind):
        with pytest.raises(DeviceError, match=rf"add_one.*\b{named}\b.*input, output, count"):
            launch((1,), (4,), **given)
    launch = kernel.bind((1,), (4,), **right)
    with pytest.raises(DeviceError, match=r"add_one.*\bcounts\b.*input, output, count"):
        launch.set(counts=np.int32(3))


def test_a_kernel_without_parameters_takes_none(tmp_path):
    file = tmp_path / "empty.cu"
    file.write_text('extern "C" __global__ void empty() {}\n')
    empty = SimulatedDevice().kernel(file, "empty")
    empty((1,), (1,))
    with pytest.raises(DeviceError, match=r"\bone\b"):
        empty((1,), (1,), one=np.int32(1))


def test_arguments_are_replaced_by_name():
    values, first, second = np.arange(4, dtype=np.int32), *np.zeros((2, 4), np.int32)
    kernel = SimulatedDevice().kernel(KERNELS / "plain.cu", "add_one")
    launch = kernel.bind((1,), (4,), count=np.int32(4), output=first, input=values)
    launch()
    launch.set(count=np.int32(3), output=second)
    launch()
    assert (first.tolist(), second.tolist()) == ([1, 2, 3, 4], [1, 2, 3, 0])


def test_the_driver_of_a_gpu_is_given_the_arguments_in_the_order_of_the_parameters():
    launch = kernel_of_a_gpu().bind((1,), (4,), count=np.int32(4), output=OnAGpu(8192), input=OnAGpu(4096))

    def given():
        addresses = (ctypes.c_void_p * 3).from_address(launch.packed[-2])
        return [ctypes.c_uint64.from_address(address).value for address in addresses]

    assert given() == [4096, 8192, 4]
    launch.set(count=np.int32(-1), output=None)
    assert given() == [4096, 0, 2**32 - 1]
