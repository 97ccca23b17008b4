"""Names of devices: the known ones open, any other is refused by one sentence."""

import pytest

from warpath.device import open_device, open_for_kernels
from warpath.errors import DeviceError, UsageError

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


@pytest.mark.parametrize("name", [*WRONG, None, 0, b"host"])
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
