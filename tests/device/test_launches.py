"""Launches: the arguments by their names, what a launch holds on its GPU, and what it and the wait for it cost."""

import ctypes
import time
from types import SimpleNamespace

import numpy as np
import pytest
from every_device import EVERY_DEVICE, KERNELS, opened
from report_samples import H200, data, estimated, keep, samples, written_work
from tiny_graphs import named

from warpath.device.copies import downloaded
from warpath.device.cuda_kernel import CudaKernel
from warpath.device.kernel_source import expanded_source, parameter_names
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError, UsageError
from warpath_study.measure.run import BATCHES, LAUNCHES, launch_and_wait_s
from warpath_study.report.table import markdown, published_table
from warpath_study.report.views import make


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


class FewGpus:
    """Device 0 is current, and a function has another address on each GPU, as in CuPy. Keeps what drivers are given."""

    def __init__(self, index):
        self.index, self.at, self.given = index, [0], []
        driver = SimpleNamespace(launchKernel=lambda *packed: self.given.append(packed), CUDADriverError=RuntimeError)
        self.xp = SimpleNamespace(ndarray=np.ndarray, cuda=SimpleNamespace(driver=driver))

    def current(self):
        return self

    def __enter__(self):
        self.at.append(self.index)

    def __exit__(self, *_):
        self.at.pop()

    @property
    def kernel(self):
        return SimpleNamespace(ptr=1000 + self.at[-1])


class OnAGpu:
    """An array of a GPU that is not there."""

    def __init__(self, address):
        self.data = SimpleNamespace(ptr=address)


def gpu_with_arrays():
    gpu = FewGpus(0)
    gpu.xp.ndarray = OnAGpu
    return gpu


def kernel_of_a_gpu(gpu=None):
    gpu = gpu or gpu_with_arrays()
    return CudaKernel(gpu, "add_one", parameter_names(expanded_source(KERNELS / "plain.cu"))["add_one"], gpu)


@pytest.fixture(params=["simulated", "cuda"])
def kernel_and_array(request):
    if request.param == "cuda":
        return kernel_of_a_gpu(), OnAGpu(4096)
    return SimulatedDevice().kernel(KERNELS / "plain.cu", "add_one"), np.zeros(4, np.int32)


def test_a_wrong_name_is_refused(kernel_and_array):
    kernel, array = kernel_and_array
    arrays = {"input": array, "output": array}
    right = {**arrays, "count": np.int32(4)}
    for given, says in ((arrays, "count"), ({**arrays, "counts": 4}, "counts"), ({**right, "length": 4}, "length")):
        for launch in (kernel, kernel.bind):
            with pytest.raises(DeviceError, match=rf"add_one.*\b{says}\b"):
                launch((1,), (4,), **given)
    launch = kernel.bind((1,), (4,), **right)
    with pytest.raises(DeviceError, match=r"\bcounts\b"):
        launch.set(counts=np.int32(3))


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_arguments_of_one_launch_are_not_kept(name):
    device = opened(name)
    values, first, second = (device.upload(np.array(array, np.int32)) for array in (range(4), [0] * 4, [0] * 4))
    launch = device.kernel(KERNELS / "plain.cu", "add_one").bind(
        (1,), (4,), count=np.int32(4), output=None, input=values
    )
    launch(output=first)
    launch.set(output=second)
    launch(count=np.int32(1))
    assert (downloaded(device, first).tolist(), downloaded(device, second).tolist()) == ([1, 2, 3, 4], [1, 0, 0, 0])
    launch(count=np.int32(1))
    device.enqueue([launch])
    assert downloaded(device, second).tolist() == [1, 2, 3, 4]


def test_the_driver_of_a_gpu_is_given_the_arguments_in_the_order_of_the_parameters():
    gpu = gpu_with_arrays()
    launch = kernel_of_a_gpu(gpu).bind((1,), (4,), count=np.int32(4), output=OnAGpu(8192), input=OnAGpu(4096))

    def given(**arguments):
        launch(**arguments)
        addresses = (ctypes.c_void_p * 3).from_address(gpu.given[-1][-2])
        return [ctypes.c_uint64.from_address(address).value for address in addresses]

    assert given() == [4096, 8192, 4]
    launch.set(count=np.int32(-1), output=None)
    assert given() == [4096, 0, 2**32 - 1]
    assert given(count=np.int32(7)) == [4096, 0, 7]
    assert given() == [4096, 0, 2**32 - 1]


def test_a_scalar_of_any_type_has_its_bytes():
    whole = [kind(5) for kind in np.sctypeDict.values() if np.dtype(kind).kind in "iub"]
    for value in (*whole, np.longlong(-(2**40)), np.int64(-(2**40)), np.float32(-0.1), np.float64(np.inf)):
        gpu = gpu_with_arrays()
        kernel = CudaKernel(gpu, "kernel", ["before", "number"], gpu)
        launch = kernel.bind((1,), (32,), before=OnAGpu(2**64 - 1), number=value)
        launch()
        address = (ctypes.c_void_p * 2).from_address(gpu.given[-1][-2])[1]
        with named(str(type(value))):
            assert ctypes.string_at(address, value.nbytes) == value.tobytes()


def test_a_bound_launch_on_a_second_gpu_has_the_function_of_that_gpu():
    gpus = FewGpus(1)
    CudaKernel(gpus, "kernel", ["number"], gpus).bind((1,), (32,), number=np.int32(7))()
    assert gpus.given[-1][0] == 1001


def test_a_launch_keeps_its_shared_memory_when_another_one_with_less_is_bound():
    """Two prepared road networks share functions of the driver, and need different amounts."""
    gpu = FewGpus(0)
    for shared_bytes in (60_000, 100_000, 70_000):
        CudaKernel(gpu, "kernel", [], gpu).bind((1,), (32,), shared_mem=shared_bytes)
    assert gpu.max_dynamic_shared_size_bytes == 100_000


def test_large_clusters_are_allowed_by_the_driver_or_refused_in_a_sentence():
    gpu, asked = FewGpus(0), []

    class CUDADriverError(Exception):
        pass

    def set_attribute(function, attribute, value):
        asked.append((function, attribute, value))
        if len(asked) == 2:
            raise CUDADriverError("CUDA_ERROR_INVALID_VALUE")

    gpu.xp.cuda.driver = SimpleNamespace(funcSetAttribute=set_attribute, CUDADriverError=CUDADriverError)
    kernel = CudaKernel(gpu, "meet", ["met"], gpu)
    kernel.allow_large_clusters()
    assert asked == [(1000, 14, 1)]
    with pytest.raises(DeviceError, match="CUDA_ERROR_INVALID_VALUE"):
        kernel.allow_large_clusters()


# What a launch and the wait for it cost


NAIVE, STRIDE = "bellman_ford.naive", "bellman_ford.stride"
WORK = f"""
title: A work
citation: Somebody
runs:
  roads: {{columns: [{NAIVE}, {STRIDE}], rows: {{a: a, b: b}}}}
targets:
  roads: {{kind: table, runs: [roads], options: {{published: roads.csv}}}}
waits: [{STRIDE}]
"""
PUBLISHED = "dataset,nodes,edges,naive,stride\na,10,20,1.0,1.0\nb,10,20,1.0,4.0\n"


class Clock:
    """A device on which each launch takes as long as the next of ``costs_s``, by its own clock."""

    def __init__(self, *costs_s):
        self.costs_s, self.now_s = list(costs_s), 0.0

    def kernel(self, file, name):
        assert f"{name}()" in file.read_text()
        return self

    def bind(self, grid, block):
        return (grid, block)

    def repeat(self, launches, times):
        assert launches == [((1,), (1,))]
        self.now_s += times * self.costs_s.pop(0)

    def synchronize(self):
        pass

    def record(self):
        return self.now_s

    def seconds_between(self, start, stop):
        return stop - start


def test_it_is_the_median_of_batches_without_the_first_launches():
    straggler = [1.0]
    costs = [9.0, *straggler, *[6e-6] * (BATCHES // 2), *[5e-6] * (BATCHES // 2)]
    assert launch_and_wait_s(Clock(*costs)) == pytest.approx(6e-6)


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_an_empty_kernel_is_launched_on_every_device_in_little_time(name):
    device = opened(name)
    launch_and_wait_s(device)  # compiles
    began = time.perf_counter()
    seconds = launch_and_wait_s(device)
    assert 0 < seconds < (time.perf_counter() - began) / (LAUNCHES * BATCHES) * BATCHES
    assert LAUNCHES * BATCHES * seconds < 5  # a GPU that others use as well included


def test_a_table_says_it_of_each_device(tmp_path):
    work = written_work(tmp_path / "some_work", WORK, roads=PUBLISHED)
    keep(tmp_path / "runs", "a", NAIVE, 2.0, samples=samples(2.0, 2.0, 2.0), launch_and_wait_s=6.1e-6)
    keep(tmp_path / "runs", "a", STRIDE, 2.0, samples=samples(2.0, 2.0, 2.0))
    assert "took 6.10 µs." in markdown(published_table(data(work, "roads", tmp_path / "runs")))
    other = {"launch_and_wait_s": 7.25e-6, "device": H200}
    keep(tmp_path / "runs", "b", NAIVE, 2.0, samples=samples(2.0, 2.0, 2.0), **other)
    assert "took 6.10 µs to 7.25 µs." in markdown(published_table(data(work, "roads", tmp_path / "runs")))


def waits_told(folder, **facts):
    """The note on waits below a table of four runs, those of stride of 1,000 launches with these ``facts``."""
    work = written_work(folder / "some_work", WORK, roads=PUBLISHED)
    launches = {"launches": 1000}
    for dataset in ("a", "b"):
        keep(folder / "runs", dataset, NAIVE, 2.0, counters=launches, launch_and_wait_s=2e-3)
        cost = {"launch_and_wait_s": 1.5e-3 if dataset == "a" else 1.6e-3}
        keep(folder / "runs", dataset, STRIDE, 2.0, **{"counters": launches, **cost, **facts})
    made = make(data(work, "roads", folder / "runs"))
    return [note for note in made.notes if note.startswith("The host waits")]


def test_times_that_are_mostly_waits_for_launches_are_told_with_their_floor(tmp_path):
    (note,) = waits_told(tmp_path)
    # 1,000 launches of at least 1.5 ms in 2 s; naive does not wait after each.
    assert "75 % of Stride" in note and "Naive" not in note
    # Published: 1 s for a, and 4 s for b, which is no longer than the time here.
    assert "Stride on a (1,000 waits, at least 1.50 s of 2.00 s)" in note and " b " not in note
    for number, (facts, share) in enumerate(
        (
            ({"launch_and_wait_s": 1.1e-3}, "55 %"),
            ({"counters": {"launches": 600}}, None),
            ({"counters": {"launches": 1500}}, "100 %"),  # launches were faster during the run
            ({"launch_and_wait_s": None}, "100 %"),
            # Half of the iterations, and half of the launches, were timed.
            ({"counters": {"launches": 500}, **estimated(5, 10)}, "75 %"),
        )
    ):
        with named(str(facts)):
            found = waits_told(tmp_path / str(number), **facts)
            assert [share in note for note in found] == [True] * bool(share)


def test_a_run_that_no_work_has_cannot_wait(tmp_path):
    work = written_work(tmp_path / "some_work", WORK.replace(f"waits: [{STRIDE}]", "waits: [bellman_ford.strid]"))
    with pytest.raises(UsageError, match=STRIDE):
        work.check(["a", "b"])
