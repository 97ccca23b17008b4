"""Kernels on the host device: CUDA's words mean what they mean on a GPU, in every order of threads; faults are told."""

from pathlib import Path

import numpy as np
import pytest

from warpath.device.host import HostDevice
from warpath.errors import DeviceError

KERNELS = Path(__file__).parent / "kernels"
ORDERS = ("forward", "reverse", "shuffle")


@pytest.fixture(params=ORDERS)
def device(request):
    return HostDevice(order=request.param, seed=7, workers=3)


def numbers(count, low=-100, high=100, dtype=np.int32, seed=0):
    return np.random.default_rng(seed).integers(low, high, count, dtype=dtype)


# Places, types and integers


def test_every_thread_of_the_grid_runs_once(device):
    values = numbers(5000)
    output = np.zeros_like(values)
    device.kernel(KERNELS / "plain.cu", "add_one")((5,), (1024,), (values, output, np.int32(5000)))
    np.testing.assert_array_equal(output, values + 1)


@pytest.mark.parametrize(("grid", "block"), [((7, 3, 2), (5, 4, 3)), ((3, 5), (32, 32)), ((1,), (1, 1, 64))])
def test_threads_know_their_coordinates_in_three_dimensions(device, grid, block):
    size = [g * b for g, b in zip((*grid, 1, 1)[:3], (*block, 1, 1)[:3], strict=True)]
    output = np.zeros(size[::-1], np.uint64)
    device.kernel(KERNELS / "plain.cu", "coordinates")(grid, block, (output,))
    z, y, x = np.indices(size[::-1], dtype=np.uint64)
    np.testing.assert_array_equal(output, x | y << np.uint64(10) | z << np.uint64(20))


def test_indices_reach_past_32_bits(device):
    # The pages between the first and the last row are never touched, and so take no memory.
    rows, row_bytes = 5, 2**30
    matrix = np.zeros((rows, row_bytes), np.uint8)
    arguments = (matrix, np.uint64(row_bytes), np.int32(rows - 1))
    device.kernel(KERNELS / "plain.cu", "set_byte")((1,), (16,), arguments)
    assert matrix[rows - 1, :17].tolist() == [1] * 16 + [0]
    assert not matrix[0, :16].any()


def test_parameters_of_every_type(device):
    pair = np.zeros(1, np.dtype([("first", np.int32), ("second", np.float64)], align=True))
    pair[0] = (11, 12.5)
    output = np.zeros(16)
    device.kernel(KERNELS / "plain.cu", "every_type")(
        (1,),
        (1,),
        (
            *(output, np.bool_(True), np.int8(-2), np.uint16(3), np.uint32(2**32 - 1), np.int64(-(2**40))),
            *(np.uint64(2**40), np.float32(1.5), np.float64(0.25), pair[0]),
            *(np.arange(8, dtype=np.int32), None),
        ),
    )
    expected = [1, -2, 3, 2**32 - 1, -(2**40), 2**40, 3, 0.25, 11, 12.5, 7, 1, 1, 10, 100, 1000]
    np.testing.assert_array_equal(output, expected)


def test_integer_functions(device):
    values = np.array([0, 1, 2, 7, 99, 101, -1, -5, -101, 2**23, -(2**31)], np.int32)
    output = np.zeros((14, len(values)), np.int32)
    device.kernel(KERNELS / "plain.cu", "integer_functions")(
        (1,), (len(values),), (values, output, np.int32(len(values)))
    )
    for i, x in enumerate(values.tolist()):
        bits = f"{x % 2**32:032b}"
        wide_bits = f"{(x << 20) % 2**64:064b}"
        expected = [
            *(bits.count("1"), wide_bits.count("1"), bits[::-1].find("1") + 1, (bits + "1").find("1")),
            *(wide_bits[::-1].find("1") + 1, (wide_bits + "1").find("1")),
            *(int(bits[::-1], 2), min(x, 100), max(x, -100), min(3, x % 2**32), max(x << 20, -5) >> 20),
            *(min(x, 7) + max(x, 7), x, x + 2**31 - 1),
        ]
        assert [number % 2**32 for number in expected] == output[:, i].view(np.uint32).tolist(), x


# Barriers and shared memory


@pytest.mark.parametrize("threads", [1, 32, 512, 1024])
def test_a_tree_of_sums_in_shared_memory(device, threads):
    values = numbers(6 * threads)
    sums = np.zeros(6, np.int32)
    device.kernel(KERNELS / "barriers.cu", "block_sums")((6,), (threads,), (values, sums))
    np.testing.assert_array_equal(sums, values.reshape(6, threads).sum(axis=1))


def test_dynamic_shared_memory_and_barriers_in_a_loop(device):
    values = numbers(96)
    output = values.copy()
    device.kernel(KERNELS / "barriers.cu", "rotate")((1,), (96,), (output, np.int32(5)), shared_mem=96 * 4)
    np.testing.assert_array_equal(output, np.roll(values, -5))


def test_structs_in_a_two_dimensional_tile(device):
    values = numbers(1024).reshape(32, 32)
    output = np.zeros_like(values)
    device.kernel(KERNELS / "barriers.cu", "transpose")((1,), (32, 32), (values, output))
    np.testing.assert_array_equal(output, values.T)


@pytest.mark.parametrize(("kernel", "without"), [("block_sums", 1), ("rotate", 2)])
def test_a_barrier_left_out_is_noticed_in_some_order(kernel, without):
    values = numbers(256)

    def right_orders(macros):
        return [order for order in ORDERS if right(HostDevice(order=order, workers=1), macros)]

    def right(device, macros):
        launch = device.kernel(KERNELS / "barriers.cu", kernel, macros)
        output = values.copy()
        if kernel == "rotate":
            launch((1,), (256,), (output, np.int32(3)), shared_mem=1024)
            return np.array_equal(output, np.roll(values, -3))
        launch((1,), (256,), (values, output))
        return output[0] == values.sum()

    assert right_orders({}) == list(ORDERS)
    assert right_orders({"WITHOUT_BARRIER": without}) != list(ORDERS)


def test_shared_memory_is_filled_anew_for_each_block(device):
    output = np.zeros((64, 2), np.uint8)
    kernel = device.kernel(KERNELS / "barriers.cu", "uninitialised")
    for _ in range(2):
        kernel((4,), (64,), (output,), shared_mem=64)
        assert set(output.ravel().tolist()) == {0xA5}


def test_predicates_at_barriers(device):
    flags = np.array([0, 1, 2, 3] * 20, np.int32)
    output = np.zeros((80, 4), np.int32)
    predicates = device.kernel(KERNELS / "barriers.cu", "predicates")
    predicates((1,), (80,), (flags, output))
    np.testing.assert_array_equal(output, [[20, 0, 1, 0]] * 80)
    predicates((1,), (80,), (np.full(80, 4, np.int32), output))
    np.testing.assert_array_equal(output, [[80, 1, 1, 1]] * 80)


def test_threads_that_have_ended_are_not_waited_for(device):
    values = numbers(200)
    output = np.zeros(200, np.int32)
    device.kernel(KERNELS / "barriers.cu", "early_exit")((1,), (200,), (values, output, np.int32(77)))
    np.testing.assert_array_equal(output[:77], values[76::-1] + 77)
    assert not output[77:].any()
    device.kernel(KERNELS / "barriers.cu", "late_exit")((1,), (200,), (output,))
    assert output[1:].tolist() == [199] * 199


def test_a_barrier_that_is_never_complete_is_reported_and_the_device_goes_on(device):
    output = np.zeros(64, np.int32)
    with pytest.raises(DeviceError, match=r"kernel divergent, block \(2, 0, 0\): .* 32 at __syncthreads and 32 at a"):
        device.kernel(KERNELS / "barriers.cu", "divergent")((5,), (64,), (output,))
    device.kernel(KERNELS / "barriers.cu", "many_barriers")((5,), (64,), (output, np.int32(9)))
    assert output.tolist() == [9] * 64


# Warps


def test_votes(device):
    x = numbers(128, seed=3)
    output = np.zeros((9, 128), np.uint32)
    device.kernel(KERNELS / "warps.cu", "votes")((1,), (128,), (x, output))
    warps = x.reshape(4, 32)
    lane_bits = np.uint64(1) << np.arange(32, dtype=np.uint64)
    quotient = np.trunc(warps / 32)
    equal = (quotient[:, :, None] == quotient[:, None, :]) * lane_bits
    np.testing.assert_array_equal(output[0], np.repeat(((warps > 0) * lane_bits).sum(axis=1), 32))
    np.testing.assert_array_equal(output[1], np.repeat((warps > 90).any(axis=1), 32))
    np.testing.assert_array_equal(output[2], np.repeat((warps > -90).all(axis=1), 32))
    np.testing.assert_array_equal(output[3], equal.sum(axis=2).ravel())
    assert set(output[4].tolist()) == {2**32 - 1}
    assert set(output[5].tolist()) == {1}
    assert not output[6:8].any()
    assert output[8].all()


def test_reductions(device):
    x = numbers(96, -(2**31), 2**31 - 1, seed=4)
    output = np.zeros((9, 96), np.int32)
    device.kernel(KERNELS / "warps.cu", "reductions")((1,), (96,), (x, output))
    signed, unsigned = x.reshape(3, 32), x.reshape(3, 32).view(np.uint32)
    expected = [
        *(signed.sum(axis=1, dtype=np.int32), signed.min(axis=1), signed.max(axis=1)),
        *(unsigned.sum(axis=1, dtype=np.uint32), unsigned.min(axis=1), unsigned.max(axis=1)),
        *(operation.reduce(unsigned, axis=1) for operation in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)),
    ]
    for row, values in zip(output, expected, strict=True):
        np.testing.assert_array_equal(row, np.repeat(values.view(np.int32), 32))


@pytest.mark.parametrize("width", [32, 8, 1])
@pytest.mark.parametrize("distance", [0, 1, 5, 31])
@pytest.mark.parametrize(("kernel", "dtype"), [("shuffle_int", np.int32), ("shuffle_double", np.float64)])
def test_shuffles(device, kernel, dtype, distance, width):
    x = numbers(64).astype(dtype)
    output = np.zeros((4, 64), dtype)
    arguments = (x, output, np.int32(distance), np.int32(width))
    device.kernel(KERNELS / "warps.cu", kernel)((1,), (64,), arguments)
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
    device.kernel(KERNELS / "warps.cu", "halves")((1,), (64,), (output,))
    low, high = sum(range(16)) + 16, sum(range(16, 32))
    np.testing.assert_array_equal(output.reshape(4, 16), [[high] * 16, [low] * 16] * 2)


def test_lanes_that_have_ended_and_warps_that_are_not_full(device):
    output = np.zeros(70, np.uint32)
    device.kernel(KERNELS / "warps.cu", "ended_lanes")((1,), (70,), (output,))
    expected = ([0] * 4 + [0xFFFFFFF0] * 28) * 2 + [0] * 4 + [0x30] * 2
    assert output.tolist() == expected


def test_a_block_sum_by_warps(device):
    x = numbers(1024)
    total = np.zeros(1, np.int32)
    device.kernel(KERNELS / "warps.cu", "block_sum")((1,), (1024,), (x, total))
    assert total[0] == x.sum()


def test_a_mask_without_the_calling_lane_is_reported(device):
    with pytest.raises(DeviceError, match=r"kernel wrong_mask, .*mask that leaves out its own lane"):
        device.kernel(KERNELS / "warps.cu", "wrong_mask")((1,), (32,), (np.zeros(32, np.int32),))


# Atomics, from several OS threads


@pytest.mark.parametrize(
    ("kernel", "dtype"), [("atomics_int", np.int32), ("atomics_unsigned", np.uint32), ("atomics_wide", np.uint64)]
)
def test_atomics(device, kernel, dtype):
    count = 100_000
    bits = np.dtype(dtype).itemsize * 8
    x = np.random.default_rng(5).integers(0, 2**bits, count, dtype=f"u{bits // 8}").view(dtype)
    totals = np.array([0, 0, x[0], x[0], -1 % 2**32 if bits == 32 else 2**64 - 1, 0, 0, 0, 0, 0, 0], f"u{bits // 8}")
    totals = totals.view(dtype)
    arguments = [x, totals, np.int32(count)]
    signed = np.zeros(2, np.int64)
    if kernel == "atomics_wide":
        arguments.insert(2, signed)
    device.kernel(KERNELS / "atomics.cu", kernel)((98,), (1024,), arguments)

    assert totals[0] == x.sum(dtype=dtype)
    if kernel != "atomics_wide":
        assert totals[1] == np.negative(totals[:1])[0]
    assert (totals[2], totals[3]) == (x.min(), x.max())
    assert totals[4:7].tolist() == [f.reduce(x) for f in (np.bitwise_and, np.bitwise_or, np.bitwise_xor)]
    assert totals[7:9].sum(dtype=dtype) == totals[0]  # nothing is lost in an exchange
    if kernel == "atomics_int":
        assert totals[9] == 3 * count
    if kernel == "atomics_unsigned":
        assert totals[9] == count % 1001
        assert totals[10] == -count % 1001
    if kernel == "atomics_wide":
        assert signed.tolist() == [x.view(np.int64).min(), x.view(np.int64).max()]


def test_floating_atomics_and_tickets(device):
    total, wide_total = np.zeros(2, np.float32), np.zeros(1)
    device.kernel(KERNELS / "atomics.cu", "atomics_floating")((98,), (1024,), (total, wide_total, np.int32(100_000)))
    assert (total.tolist(), wide_total[0]) == ([100_000, 2.5], 50_000)
    owner = np.full(100 * 256, -1, np.int32)
    device.kernel(KERNELS / "atomics.cu", "tickets")((100,), (256,), (np.zeros(1, np.uint32), owner))
    np.testing.assert_array_equal(np.sort(owner), np.arange(100 * 256))


def test_orders_are_what_they_say_and_shuffles_repeat():
    def owners(order, seed=0):
        owner = np.zeros(40 * 64, np.int32)
        device = HostDevice(order=order, seed=seed, workers=1)
        device.kernel(KERNELS / "atomics.cu", "tickets")((40,), (64,), (np.zeros(1, np.uint32), owner))
        return owner.tolist()

    everyone = list(range(40 * 64))
    assert owners("forward") == everyone
    assert owners("reverse") == everyone[::-1]
    shuffled = owners("shuffle", seed=1)
    assert sorted(shuffled) == everyone
    assert shuffled == owners("shuffle", seed=1) != owners("shuffle", seed=2)
    blocks = [thread // 64 for thread in shuffled[::64]]
    assert blocks != sorted(blocks)
    assert [thread % 64 for thread in shuffled[:64]] != [thread % 64 for thread in shuffled[64:128]]


# Kernels that go wrong


@pytest.mark.parametrize(
    ("how", "what"),
    [
        (0, "reads or writes address 0x0, where it has no memory"),
        (1, "divides by zero"),
        (2, "__trap() was called"),
        (3, "assert(threadIdx.x < 3) is false at"),
        (4, "reads or writes address 0x"),
    ],
)
def test_a_fault_in_a_kernel_fails_the_launch_alone(device, how, what):
    go_wrong = device.kernel(KERNELS / "plain.cu", "go_wrong")
    output = np.zeros(8, np.int32)
    with pytest.raises(DeviceError) as caught:
        go_wrong((1,), (8,), (output, None, np.int32(how), np.int32(0)))
    assert str(caught.value).startswith("kernel go_wrong, block (0, 0, 0), thread (")
    assert what in str(caught.value)
    go_wrong((1,), (8,), (output, None, np.int32(-1), np.int32(0)))
    assert output.tolist() == [7] * 8


def test_running_past_the_end_of_dynamic_shared_memory_is_reported(device):
    overrun = device.kernel(KERNELS / "barriers.cu", "overrun")
    output = np.zeros(1, np.int32)
    overrun((1,), (1,), (output, np.int32(7)), shared_mem=32)
    with pytest.raises(DeviceError, match="where it has no memory"):
        overrun((1,), (1,), (output, np.int32(8)), shared_mem=32)
