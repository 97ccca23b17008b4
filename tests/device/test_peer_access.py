"""GPUs that may reach each other's memory are told so once, in each direction; needs no GPU."""

import contextlib
import sys
from types import SimpleNamespace

import pytest

from warpath.device import cuda_kernel
from warpath.errors import DeviceError


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


@pytest.mark.parametrize(("says", "fails"), [("cudaErrorPeerAccessAlreadyEnabled", False), ("cudaErrorUnknown", True)])
def test_other_code_may_have_asked_before(runtime, says, fails):
    def enable(there):
        raise FakeRuntimeError(says)

    runtime.deviceEnablePeerAccess = enable
    with (
        pytest.raises(DeviceError, match="GPU 0 cannot access the memory of GPU 1")
        if fails
        else contextlib.nullcontext()
    ):
        cuda_kernel.enable_peer_access([0, 1])
