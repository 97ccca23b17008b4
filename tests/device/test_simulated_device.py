"""The simulated GPU: what it refuses, mistakes that it exposes, interruption, threads and processes."""

import re
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from every_device import KERNELS, ORDERS, numbers
from tiny_graphs import named

from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError, OutOfMemoryError, UsageError


def test_parameters_of_every_type():
    pair = np.zeros(1, np.dtype([("first", np.int32), ("second", np.float64)], align=True))
    pair[0] = (11, 12.5)
    output = np.zeros(16)
    SimulatedDevice().kernel(KERNELS / "plain.cu", "every_type")(
        (1,),
        (1,),
        output=output,
        flag=np.bool_(True),
        i8=np.int8(-2),
        u16=np.uint16(3),
        u32=np.uint32(2**32 - 1),
        i64=np.int64(-(2**40)),
        u64=np.uint64(2**40),
        f32=np.float32(1.5),
        f64=np.float64(0.25),
        pair=pair[0],
        vectors=np.arange(8, dtype=np.int32),
        nothing=None,
    )
    expected = [1, -2, 3, 2**32 - 1, -(2**40), 2**40, 3, 0.25, 11, 12.5, 7, 1, 1, 10, 100, 1000]
    np.testing.assert_array_equal(output, expected)


def test_arguments_that_do_not_fit_are_refused():
    add_one, a = SimulatedDevice().kernel(KERNELS / "plain.cu", "add_one"), np.zeros(8, np.int32)
    for number, name, *given in (
        (1, "count", a, a, 4),
        (2, "count", a, a, np.int64(4)),
        (3, "count", a, a, np.uint32(4)),
        (4, "count", a, a, a),
        (5, "input", [1, 2], a, np.int32(4)),
        (6, "input", a.astype(np.int64), a, np.int32(4)),
        (7, "input", a[::2], a, np.int32(4)),
        (8, "output", a, np.broadcast_to(a, a.shape), np.int32(4)),  # read-only
    ):
        with named(f"case {number}"), pytest.raises(DeviceError, match=f"add_one.* {name}"):
            add_one((1,), (4,), **dict(zip(("input", "output", "count"), given, strict=True)))
    values = np.arange(4, dtype=np.int32)
    values.flags.writeable = False  # which a pointer to constants takes
    add_one((1,), (4,), input=values, output=a, count=np.int32(4))
    assert a.tolist() == [1, 2, 3, 4, 0, 0, 0, 0]


def test_sizes_that_no_gpu_takes_are_refused():
    add_one = SimulatedDevice().kernel(KERNELS / "plain.cu", "add_one")
    for grid, block, shared, complaint in (
        ((0,), (1,), 0, "grid"),
        ((2**31,), (1,), 0, "grid"),
        ((1, 65536), (1,), 0, "grid"),
        ((1, 1, 1, 1), (1,), 0, "grid"),
        ((1,), (1025,), 0, "block"),
        ((1,), (1, 1, 65), 0, "block"),
        ((1,), (32, 33), 0, "1056"),
        ((1,), (1,), 227 * 1024 + 1, "shared memory"),
        ((1,), (1,), -1, "shared memory"),
    ):
        with named(f"{grid}, {block}, {shared}"), pytest.raises(DeviceError, match=f"add_one.*{complaint}"):
            add_one(grid, block, input=None, output=None, count=np.int32(0), shared_mem=shared)


def test_unknown_orders_and_workers_are_refused():
    for options in ({"order": "sideways"}, {"workers": 0}):
        with pytest.raises(UsageError, match=next(iter(options))):
            SimulatedDevice(**options)


def test_a_bound_launch_keeps_its_arrays_and_repeats():
    device = SimulatedDevice(workers=2)
    plain = device.kernel(KERNELS / "plain.cu", "add_one")
    first, second = np.zeros(4000, np.int32), np.zeros(4000, np.int32)
    there = plain.bind((4,), (1024,), input=first, output=second, count=np.int32(4000))
    back = plain.bind((4,), (1024,), input=second, output=first, count=np.int32(4000))
    device.repeat([there, back], 500)
    assert (first == 1000).all()
    device.repeat([there], 0)
    device.repeat([], 10)
    assert (second == 999).all()
    there()
    assert (second == 1001).all()


def test_arrays_and_events():
    device = SimulatedDevice()
    values = np.arange(6).reshape(2, 3)
    copy = device.upload(values)
    values[0, 0] = 9
    out = np.zeros((2, 3), values.dtype)
    start = device.record()
    device.download(copy, out)
    device.synchronize()
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert 0 < device.seconds_between(start, device.record()) < 5
    assert device.empty((0, 4), np.int32).shape == (0, 4)
    free, total = device.memory_bytes()
    assert 0 < free <= total
    with pytest.raises(OutOfMemoryError, match="memory"):
        device.empty((2**22, 2**22), np.int32)


# Threads, processes, signals


def test_several_python_threads_launch_at_once():
    device = SimulatedDevice(workers=2)
    tickets = device.kernel(KERNELS / "atomics.cu", "tickets")

    def hand_out(_):
        owner = np.full(200 * 256, -1, np.int32)
        tickets((200,), (256,), next=np.zeros(1, np.uint32), owner=owner)
        return np.sort(owner)

    with ThreadPoolExecutor(4) as pool:
        for owner in pool.map(hand_out, range(20)):
            np.testing.assert_array_equal(owner, np.arange(200 * 256))


def run_script(text, **options):
    text = f"KERNELS = {str(KERNELS)!r}\n" + textwrap.dedent(text)
    return subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_a_forked_process_launches_too():
    script = """
        import os, sys
        from pathlib import Path
        import numpy as np
        from warpath.device.simulated.device import SimulatedDevice

        device = SimulatedDevice(workers=2)
        kernel = device.kernel(Path(KERNELS, "atomics.cu"), "tickets")

        def total():
            total = np.zeros(1, np.uint32)
            kernel((900,), (1000,), next=total, owner=np.zeros(900_000, np.int32))
            return int(total[0])

        assert total() == 900_000
        child = os.fork()
        if child == 0:
            os._exit(0 if total() == 900_000 else 1)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    process = run_script(script)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


@pytest.mark.parametrize(
    "launch",
    [
        "kernel((2**31 - 1,), (1024,), **arguments)",
        "device.repeat([kernel.bind((1,), (1024,), **arguments)], 10**12)",
    ],
)
def test_long_work_is_interrupted(launch):
    script = f"""
        from pathlib import Path
        import numpy as np
        from warpath.device.simulated.device import SimulatedDevice

        device = SimulatedDevice(workers=2)
        kernel = device.kernel(Path(KERNELS, "plain.cu"), "add_one")
        arguments = dict(input=np.zeros(1, np.int32), output=np.zeros(1, np.int32), count=np.int32(0))
        try:
            print("ready", flush=True)
            {launch}
        except KeyboardInterrupt:
            print("interrupted")
    """
    process = run_script(script)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, output) == (0, "interrupted\n"), errors


def test_faults_outside_kernels_stay_what_they_were():
    script = """
        import ctypes
        from warpath.device.simulated.device import SimulatedDevice

        SimulatedDevice()
        ctypes.string_at(0)
    """
    process = run_script(script)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGSEGV


# Mistakes that it exposes


@pytest.fixture(params=ORDERS)
def device(request):
    return SimulatedDevice(order=request.param, seed=7, workers=3)


def test_orders_are_what_they_say_and_shuffles_repeat():
    def owners(order, seed=0):
        owner = np.zeros(40 * 64, np.int32)
        device = SimulatedDevice(order=order, seed=seed, workers=1)
        device.kernel(KERNELS / "atomics.cu", "tickets")((40,), (64,), next=np.zeros(1, np.uint32), owner=owner)
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


@pytest.mark.parametrize(("kernel", "without"), [("block_sums", 1), ("rotate", 2)])
def test_a_barrier_left_out_is_noticed_in_some_order(kernel, without):
    values = numbers(256)

    def right_orders(macros):
        return [order for order in ORDERS if right(SimulatedDevice(order=order, workers=1), macros)]

    def right(device, macros):
        launch = device.kernel(KERNELS / "barriers.cu", kernel, macros)
        output = values.copy()
        if kernel == "rotate":
            launch((1,), (256,), numbers=output, times=np.int32(3), shared_mem=1024)
            return np.array_equal(output, np.roll(values, -3))
        launch((1,), (256,), input=values, sums=output)
        return output[0] == values.sum()

    assert right_orders({}) == list(ORDERS)
    assert right_orders({"WITHOUT_BARRIER": without}) != list(ORDERS)


def test_shared_memory_is_filled_anew_for_each_block(device):
    output = np.zeros((64, 2), np.uint8)
    kernel = device.kernel(KERNELS / "barriers.cu", "uninitialised")
    for _ in range(2):
        kernel((4,), (64,), output=output, shared_mem=64)
        assert set(output.ravel().tolist()) == {0xA5}


def test_a_barrier_that_is_never_complete_is_reported_and_the_device_goes_on(device):
    output = np.zeros(64, np.int32)
    with pytest.raises(DeviceError, match=r"divergent, block \(2, 0, 0\)"):
        device.kernel(KERNELS / "barriers.cu", "divergent")((5,), (64,), output=output)
    device.kernel(KERNELS / "barriers.cu", "many_barriers")((5,), (64,), output=output, times=np.int32(9))
    assert output.tolist() == [9] * 64


def test_a_mask_without_the_calling_lane_is_reported(device):
    with pytest.raises(DeviceError, match=r"wrong_mask.*lane"):
        device.kernel(KERNELS / "warps.cu", "wrong_mask")((1,), (32,), output=np.zeros(32, np.int32))


def test_a_fault_in_a_kernel_fails_the_launch_alone(device):
    go_wrong = device.kernel(KERNELS / "plain.cu", "go_wrong")
    output, zero = np.zeros(8, np.int32), np.int32(0)
    for how, what in enumerate(("address 0x0", "zero", "__trap()", "assert(threadIdx.x < 3)", "address 0x")):
        with named(what), pytest.raises(DeviceError, match=re.escape(what)) as caught:
            go_wrong((1,), (8,), output=output, null=None, how=np.int32(how), zero=zero)
        assert str(caught.value).startswith("kernel go_wrong, block (0, 0, 0), thread (")
        output[:] = 0
        go_wrong((1,), (8,), output=output, null=None, how=np.int32(-1), zero=zero)
        assert output.tolist() == [7] * 8


def test_running_past_the_end_of_dynamic_shared_memory_is_reported(device):
    overrun = device.kernel(KERNELS / "barriers.cu", "overrun")
    output = np.zeros(1, np.int32)
    overrun((1,), (1,), output=output, index=np.int32(7), shared_mem=32)
    with pytest.raises(DeviceError, match="memory"):
        overrun((1,), (1,), output=output, index=np.int32(8), shared_mem=32)
