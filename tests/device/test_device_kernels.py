"""Kernels behave the same on every device: coordinates, integers, barriers, shared memory, warps and atomics."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, KERNELS, launch, numbers, opened


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def test_every_thread_of_the_grid_runs_once(device):
    values = numbers(5000)
    output = np.zeros_like(values)
    launch(device, "plain.cu", "add_one", (5,), (1024,), input=values, output=output, count=np.int32(5000))
    np.testing.assert_array_equal(output, values + 1)


@pytest.mark.parametrize(("grid", "block"), [((7, 3, 2), (5, 4, 3)), ((3, 5), (32, 32)), ((1,), (1, 1, 64))])
def test_threads_know_their_coordinates_in_three_dimensions(device, grid, block):
    size = [g * b for g, b in zip((*grid, 1, 1)[:3], (*block, 1, 1)[:3], strict=True)]
    output = np.zeros(size[::-1], np.uint64)
    launch(device, "plain.cu", "coordinates", grid, block, output=output)
    z, y, x = np.indices(size[::-1], dtype=np.uint64)
    np.testing.assert_array_equal(output, x | y << np.uint64(10) | z << np.uint64(20))


def test_the_host_reads_what_a_kernel_wrote_into_its_memory(device):
    values = numbers(50)
    seen, output = device.mapped((50,), np.int32)
    assert not seen.any()
    kernel = device.kernel(KERNELS / "plain.cu", "add_one")
    kernel((1,), (64,), input=device.upload(values), output=output, count=np.int32(50))
    device.synchronize()
    np.testing.assert_array_equal(seen, values + 1)


def test_indices_reach_past_32_bits(device):
    # On the host, the pages between the first and the last row are never touched, and so take no memory.
    rows, row_bytes = 5, 2**30
    matrix = device.xp.zeros((rows, row_bytes), np.uint8)
    set_byte = device.kernel(KERNELS / "plain.cu", "set_byte")
    set_byte((1,), (16,), bytes=matrix, row_bytes=np.uint64(row_bytes), row=np.int32(rows - 1))
    assert matrix[rows - 1, :17].tolist() == [1] * 16 + [0]
    assert not matrix[0, :16].any()


def test_integer_functions(device):
    values = np.array([0, 1, 2, 7, 99, 101, -1, -5, -101, 2**23, -(2**31)], np.int32)
    output = np.zeros((13, len(values)), np.int32)
    count = np.int32(len(values))
    launch(device, "plain.cu", "integer_functions", (1,), (len(values),), input=values, output=output, count=count)
    for i, x in enumerate(values.tolist()):
        bits = f"{x % 2**32:032b}"
        wide_bits = f"{(x << 20) % 2**64:064b}"
        expected = [
            *(bits.count("1"), wide_bits.count("1"), bits[::-1].find("1") + 1, (bits + "1").find("1")),
            *(wide_bits[::-1].find("1") + 1, (wide_bits + "1").find("1")),
            *(min(x, 100), max(x, -100), min(3, x % 2**32), max(x << 20, -5) >> 20),
            *(min(x, 7) + max(x, 7), x, x + 2**31 - 1),
        ]
        assert [number % 2**32 for number in expected] == output[:, i].view(np.uint32).tolist(), x


@pytest.mark.parametrize("threads", [1, 32, 512, 1024])
def test_a_tree_of_sums_in_shared_memory(device, threads):
    values = numbers(6 * threads)
    sums = np.zeros(6, np.int32)
    launch(device, "barriers.cu", "block_sums", (6,), (threads,), input=values, sums=sums)
    np.testing.assert_array_equal(sums, values.reshape(6, threads).sum(axis=1))


def test_dynamic_shared_memory_and_barriers_in_a_loop(device):
    values = numbers(96)
    output = values.copy()
    launch(device, "barriers.cu", "rotate", (1,), (96,), numbers=output, times=np.int32(5), shared_mem=96 * 4)
    np.testing.assert_array_equal(output, np.roll(values, -5))


def test_a_bound_launch_keeps_its_shared_memory(device):
    """Another one with less is bound in between, of the same function."""
    values = numbers(96)
    output = device.upload(values)
    kernel, grid, block = device.kernel(KERNELS / "barriers.cu", "rotate"), (1,), (96,)
    arguments = {"numbers": output, "times": np.int32(1)}
    much, less = (kernel.bind(grid, block, shared_mem=bytes_, **arguments) for bytes_ in (100_000, 60_000))
    device.enqueue([much, less])
    found = np.empty_like(values)
    device.download(output, found)
    np.testing.assert_array_equal(found, np.roll(values, -2))


def test_structs_in_a_two_dimensional_tile(device):
    values = numbers(1024).reshape(32, 32)
    output = np.zeros_like(values)
    launch(device, "barriers.cu", "transpose", (1,), (32, 32), input=values, output=output)
    np.testing.assert_array_equal(output, values.T)


def test_predicates_at_barriers(device):
    flags = np.array([0, 1, 2, 3] * 20, np.int32)
    output = np.zeros((80, 3), np.int32)
    launch(device, "barriers.cu", "predicates", (1,), (80,), input=flags, output=output)
    np.testing.assert_array_equal(output, [[20, 1, 0]] * 80)
    launch(device, "barriers.cu", "predicates", (1,), (80,), input=np.full(80, 4, np.int32), output=output)
    np.testing.assert_array_equal(output, [[80, 1, 1]] * 80)


def test_threads_that_have_ended_are_not_waited_for(device):
    values = numbers(200)
    output = np.zeros(200, np.int32)
    launch(device, "barriers.cu", "early_exit", (1,), (200,), input=values, output=output, count=np.int32(77))
    np.testing.assert_array_equal(output[:77], values[76::-1] + 77)
    assert not output[77:].any()
    launch(device, "barriers.cu", "late_exit", (1,), (200,), output=output)
    assert output[1:].tolist() == [199] * 199


def test_blocks_that_run_at_the_same_time_are_counted(device):
    kernel = device.kernel(KERNELS / "plain.cu", "add_one")
    few, none = (device.resident_blocks(kernel, (32,), shared_bytes) for shared_bytes in
                 (device.shared_memory_bytes, device.shared_memory_bytes + 1))  # fmt: skip
    assert none == 0 < few <= device.resident_blocks(kernel, (32,))
    assert few == (1 if device.kind == "simulated" else device.describe()["multiprocessors"])


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
