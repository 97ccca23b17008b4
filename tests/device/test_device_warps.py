"""Kernels behave the same on every device: warp functions and atomics."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, launch, numbers, opened


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def test_votes(device):
    x = numbers(128, seed=3)
    output = np.zeros((3, 128), np.uint32)
    launch(device, "warps.cu", "votes", (1,), (128,), input=x, output=output)
    warps = x.reshape(4, 32)
    lane_bits = np.uint64(1) << np.arange(32, dtype=np.uint64)
    np.testing.assert_array_equal(output[0], np.repeat(((warps > 0) * lane_bits).sum(axis=1), 32))
    np.testing.assert_array_equal(output[1], np.repeat((warps > 90).any(axis=1), 32))
    np.testing.assert_array_equal(output[2], np.repeat((warps > -90).all(axis=1), 32))


@pytest.mark.parametrize("width", [32, 8, 1])
@pytest.mark.parametrize("distance", [0, 1, 5, 31])
@pytest.mark.parametrize(("kernel", "dtype"), [("shuffle_int", np.int32), ("shuffle_double", np.float64)])
def test_shuffles(device, kernel, dtype, distance, width):
    x = numbers(64).astype(dtype)
    output = np.zeros((4, 64), dtype)
    lanes = {"distance": np.int32(distance), "width": np.int32(width)}
    launch(device, "warps.cu", kernel, (1,), (64,), input=x, output=output, **lanes)
    thread = np.arange(64)
    first = thread // width * width
    last = first + width - 1
    up, down, flipped = thread - distance, thread + distance, thread ^ distance
    sources = [
        first + distance % width,
        np.where(up >= first, up, thread),
        np.where(down <= last, down, thread),
        np.where(flipped <= last, flipped, thread),
    ]
    for row, source in zip(output, sources, strict=True):
        np.testing.assert_array_equal(row, x[source])


def test_parts_of_a_warp_meet_on_their_own(device):
    output = np.zeros(64, np.int32)
    launch(device, "warps.cu", "halves", (1,), (64,), output=output)
    low, high = 12 + 16, 11
    np.testing.assert_array_equal(output.reshape(4, 16), [[high] * 16, [low] * 16] * 2)


def test_lanes_that_have_ended_and_warps_that_are_not_full(device):
    output = np.zeros(70, np.uint32)
    launch(device, "warps.cu", "ended_lanes", (1,), (70,), output=output)
    expected = ([0] * 4 + [0xFFFFFFF0] * 28) * 2 + [0] * 4 + [0x30] * 2
    assert output.tolist() == expected


def test_a_block_sum_by_warps(device):
    x = numbers(1024)
    total = np.zeros(1, np.int32)
    launch(device, "warps.cu", "block_sum", (1,), (1024,), input=x, sum=total)
    assert total[0] == x.sum()


@pytest.mark.parametrize(
    ("kernel", "dtype"), [("atomics_int", np.int32), ("atomics_unsigned", np.uint32), ("atomics_wide", np.uint64)]
)
def test_atomics(device, kernel, dtype):
    count = 100_000
    bits = np.dtype(dtype).itemsize * 8
    x = np.random.default_rng(5).integers(0, 2**bits, count, dtype=f"u{bits // 8}").view(dtype)
    totals = np.array([0, 0, x[0], x[0], -1 % 2**32 if bits == 32 else 2**64 - 1, 0, 0, 0, 0, 0, 0], f"u{bits // 8}")
    totals = totals.view(dtype)
    signed = np.zeros(2, np.int64)
    further = {"signed_totals": signed} if kernel == "atomics_wide" else {}
    launch(device, "atomics.cu", kernel, (98,), (1024,), input=x, totals=totals, count=np.int32(count), **further)

    assert totals[0] == x.sum(dtype=dtype)
    if kernel != "atomics_wide":
        assert totals[1] == np.negative(totals[:1])[0]
    assert (totals[2], totals[3]) == (x.min(), x.max())
    assert totals[4:7].tolist() == [f.reduce(x) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)]
    assert totals[7:9].sum(dtype=dtype) == totals[0]  # nothing is lost in an exchange
    if kernel == "atomics_int":
        assert totals[9] == 3 * count
    if kernel == "atomics_wide":
        assert signed.tolist() == [x.view(np.int64).min(), x.view(np.int64).max()]


def test_tickets(device):
    owner = np.full(100 * 256, -1, np.int32)
    launch(device, "atomics.cu", "tickets", (100,), (256,), next=np.zeros(1, np.uint32), owner=owner)
    np.testing.assert_array_equal(np.sort(owner), np.arange(100 * 256))
