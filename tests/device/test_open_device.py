"""Names of devices, GPUs that reach each other's memory, and the memory of the host."""

import contextlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from tiny_graphs import named

import warpath
from warpath.device import cuda_kernel, open_device, open_for_kernels
from warpath.device import open as opening
from warpath.device.cuda import CudaDevice
from warpath.errors import DeviceError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.system import host_machine


def test_an_unknown_name_is_refused():
    for name in ("cuda:²", "cuda:-1", "cuda:99999999999999999999", "cuda:1_0", "cuda:", "cuda:1\n", "", "ho\0st", None):
        for function in (open_device, open_for_kernels):
            with named(repr(name)), pytest.raises(UsageError) as caught:
                function(name)
            assert "\n" not in str(caught.value)


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


class FakeRuntimeError(Exception):
    """In the place of CuPy's."""


@pytest.fixture
def runtime(monkeypatch):
    """A runtime of GPUs 0, 1 and 2, the last without a connection; ``asked`` are the pairs let at each other."""
    asked, here = [], []

    @contextlib.contextmanager
    def device(index):
        here.append(index)
        yield
        here.pop()

    fake = SimpleNamespace(
        CUDARuntimeError=FakeRuntimeError,
        deviceCanAccessPeer=lambda one, other: 2 not in (one, other),
        deviceEnablePeerAccess=lambda there: asked.append((here[-1], there)),
        asked=asked,
    )
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(runtime=fake, Device=device)))
    monkeypatch.setattr(cuda_kernel, "_peer_access", set())
    return fake


def test_connected_pairs_are_asked_for_once(runtime):
    cuda_kernel.enable_peer_access([0, 1, 2])
    assert runtime.asked == [(0, 1), (1, 0)]
    cuda_kernel.enable_peer_access([1, 0])
    assert runtime.asked == [(0, 1), (1, 0)]


def test_other_code_may_have_asked_before(runtime):
    for says, raises in (
        ("cudaErrorUnknown", pytest.raises(DeviceError, match="GPU 0")),
        ("cudaErrorPeerAccessAlreadyEnabled", contextlib.nullcontext()),
    ):

        def enable(there, says=says):
            raise FakeRuntimeError(says)

        runtime.deviceEnablePeerAccess = enable
        with raises:
            cuda_kernel.enable_peer_access([0, 1])


def make_group(folder: Path, version: int, limit: str, used: int, cached: int):
    folder.mkdir(parents=True, exist_ok=True)
    names = {
        1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        2: ("memory.max", "memory.current", "inactive_file"),
    }[version]
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{names[2]} {cached}\nfile 7\n")


def test_limits_of_both_versions(tmp_path):
    """Of the groups around, and in a container that does not see its own name."""
    make_group(tmp_path / "slice" / "job", 2, "1000", 400, 100)
    make_group(tmp_path / "slice", 2, "5000", 900, 0)
    make_group(tmp_path, 2, "max", 10_000, 0)
    make_group(tmp_path / "memory", 1, "2000", 500, 50)
    for memberships, limits in (
        ("0::/slice/job\n", [(1000, 300), (5000, 900)]),
        ("12:cpu,cpuacct:/docker/abc\n11:memory:/docker/abc\n", [(2000, 450)]),
        ("0::/\n", []),
        ("", []),
    ):
        assert host_machine.control_group_limits(memberships, tmp_path) == limits


def test_a_small_group_bounds_what_is_free(monkeypatch):
    monkeypatch.setattr(
        host_machine, "control_group_limits", lambda memberships, root: [(2**30, 2**29), (2**20, 2**21)]
    )
    assert host_machine.memory_bytes() == (0, 2**20)
