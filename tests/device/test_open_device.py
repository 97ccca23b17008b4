"""Names of devices: the known ones open, any other is refused by one sentence."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import warpath
from warpath.device import open as opening
from warpath.device import open_device, open_for_kernels
from warpath.device.cuda import CudaDevice
from warpath.errors import DeviceError, UsageError
from warpath.graphs.csr import from_arcs

WRONG = [
    "cuda:²",
    "cuda:-1",
    "cuda:99999999999999999999",
    "cuda:1_0",
    "cuda: 1",
    "cuda:",
    "cuda:٣",
    "cuda:1\n",
    "",
    "ho\0st",
]


@pytest.mark.parametrize("name", [*WRONG, None, 0, b"simulated"])
@pytest.mark.parametrize("function", [open_device, open_for_kernels])
def test_an_unknown_name_is_refused(function, name):
    with pytest.raises(UsageError, match=r"unknown device .*; (there are|did you mean) ") as caught:
        function(name)
    assert "\n" not in str(caught.value)


def test_cuda_with_an_index_asks_for_a_gpu():
    try:
        assert open_device("cuda:0").kind == "cuda"
    except DeviceError as error:
        assert "\n" not in str(error)


def test_all_names_of_a_device_are_one_device():
    graph = from_arcs(2, [0], [1], [3])
    names = ("auto", "cuda", "cuda:0") if opening.has_gpu() else ("auto", "cpu")
    assert len({id(warpath.prepare(graph, name).device) for name in names}) == 1


def test_options_of_another_device_are_refused():
    for name in ("cpu", "cuda", "auto"):
        with pytest.raises(UsageError):
            open_device(name, order="reverse")


@pytest.fixture
def two_gpus(monkeypatch):
    """A CuPy that knows of two GPUs and which of them is the current one, and nothing else."""
    state = SimpleNamespace(current=0)

    class Device:
        def __init__(self, index):
            self.index = index

        def use(self):
            state.current = self.index

        def __enter__(self):
            self.before, state.current = state.current, self.index
            return self

        def __exit__(self, *_):
            state.current = self.before

    cupy = ModuleType("cupy")
    cupy.__version__ = "14"
    runtime = SimpleNamespace(
        getDeviceCount=lambda: 2,
        getDevice=lambda: state.current,
        getDeviceProperties=lambda _: {"name": b"GPU"},
        CUDARuntimeError=RuntimeError,
    )
    cupy.cuda = SimpleNamespace(Device=Device, runtime=runtime)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(opening, "ensure_cupy_cache", lambda: None)
    monkeypatch.setattr(CudaDevice, "_process", None)
    return state


def test_the_callers_gpu_stays_the_current_one(two_gpus):
    open_device("cuda:1")
    assert two_gpus.current == 0
    two_gpus.current = 1
    assert opening.has_gpu() and two_gpus.current == 1
    open_for_kernels("cuda:0")
    assert two_gpus.current == 0
