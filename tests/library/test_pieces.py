"""Large answers come to the host in pieces, whatever their size, and complete."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened

from warpath.device.copies import PIECE_BYTES, PIECES_MIN, download_in_pieces
from warpath.errors import OutOfMemoryError


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def numbers(shape, dtype):
    return np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.uint64])
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 9), (37, 41), (1, 5000), (1200,)])
def test_every_cell_arrives(device, shape, dtype):
    array = numbers(shape, dtype)
    out = np.zeros_like(array)
    download_in_pieces(device, device.upload(array), out, piece_bytes=200)
    np.testing.assert_array_equal(out, array)


def test_the_target_may_be_rows_of_a_larger_array_and_the_source_may_have_a_stride(device):
    array = numbers((60, 50), np.int32)
    rows = np.zeros((100, 50), np.int32)
    download_in_pieces(device, device.upload(array), rows[20:80], piece_bytes=200)
    np.testing.assert_array_equal(rows[20:80], array)
    assert not rows[:20].any() and not rows[80:].any()
    columns = np.zeros((60, 30), np.int32)
    download_in_pieces(device, device.upload(array)[:, :30], columns, piece_bytes=200)
    np.testing.assert_array_equal(columns, array[:, :30])


def test_it_waits_for_what_was_enqueued_before(device):
    last = device.upload(numbers((300, 300), np.int32))
    for _ in range(50):
        last = last + 1
    out = np.empty((300, 300), np.int32)
    download_in_pieces(device, last, out, piece_bytes=1000)
    np.testing.assert_array_equal(out, numbers((300, 300), np.int32) + 50)


@pytest.mark.parametrize("pieces", [PIECES_MIN - 1, PIECES_MIN])
def test_small_arrays_are_copied_as_one(device, monkeypatch, pieces):
    array = numbers((pieces, PIECE_BYTES), np.uint8)
    as_one = []
    monkeypatch.setattr(type(device), "download", lambda _, array, out: as_one.append(out.nbytes))
    download_in_pieces(device, device.upload(array), np.zeros_like(array))
    assert bool(as_one) == (pieces < PIECES_MIN)


def test_what_fails_in_a_thread_is_raised(device, monkeypatch):
    def fails(*_):
        raise OutOfMemoryError("no room")

    monkeypatch.setattr(type(device), "copy", fails)
    with pytest.raises(OutOfMemoryError, match="no room"):
        download_in_pieces(device, device.upload(numbers((90, 90), np.int32)), np.zeros((90, 90), np.int32), 100)
