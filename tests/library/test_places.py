"""Arrays of the host and of the device are never mixed, whatever the library was asked before."""

from copy import deepcopy
from functools import partial
from itertools import product

import numpy as np
import pytest
from apart_device import ApartDevice, DeviceArray
from tiny_graphs import named

import warpath
from warpath_study.datasets.generate import generate

OUTPUTS = ("host", "device")
HEAP = {"algorithm": "dijkstra", "variant": "heap"}
QUEUE = {"algorithm": "near_far", "variant": "queue"}
SHARED_ROWS = {"algorithm": "floyd_warshall", "variant": "shared_rows"}
CALLS = {
    "one": lambda on, **options: on("sssp", 3, **options),
    "one in a list": lambda on, **options: on("sssp", [3], **options),
    "near": lambda on, **options: on("sssp", 3, cutoff=400, **options),
    "heap": lambda on, **options: on("sssp", 3, **HEAP, **options),
    "queue": lambda on, **options: on("sssp", 3, **QUEUE, **options),
    "several": lambda on, **options: on("sssp", [3, 5, 3], **options),
    "all": lambda on, **options: on("apsp", **options),
    "table": lambda on, **options: on("table", [3, 5], [1, 2], **options),
}


def called(device, given, is_prepared):
    """A function that calls the library by the name of a function, on a graph that it does not know yet."""
    given = deepcopy(given)
    solver = warpath.prepare(given, device) if is_prepared else None

    def on(name, *arguments, **options):
        return (
            getattr(solver, name)(*arguments, **options)
            if solver
            else getattr(warpath, name)(given, *arguments, device=device, **options)
        )

    return on


def check(paths, output, right):
    """The distances are right, and a solver of the CPU has written them to host memory; launches check the others."""
    if output == "host" and paths.variant.startswith(("dijkstra", "bellman_ford.queue")):
        arrays = paths.distances, getattr(paths, "predecessors", None)
        assert not any(isinstance(array, DeviceArray) for array in arrays)
    np.testing.assert_array_equal(np.asarray(paths.distances), right)


@pytest.mark.parametrize(("vertices", "is_prepared"), [(10, False), (300, False), (300, True)])
def test_what_was_asked_before_changes_no_place(vertices, is_prepared):
    device, given = ApartDevice(), generate("road", vertices=vertices, arcs=5 * vertices // 2 // 2 * 2, seed=1)
    rows = warpath.apsp(given, device="cpu").distances
    right = {
        **dict.fromkeys(("one", "heap", "queue"), rows[3]),
        "one in a list": rows[[3]],
        "near": np.where(rows[3] <= 400, rows[3], warpath.UNREACHABLE),
        "several": rows[[3, 5, 3]],
        "all": rows,
        "table": rows[[3, 5]][:, [1, 2]],
    }
    for before, after in product(CALLS, repeat=2):
        for outputs in product(OUTPUTS, repeat=2):
            on = called(device, given, is_prepared)
            for name, output in zip((before, after), outputs, strict=True):
                with named(f"{before} on the {outputs[0]}, then {after} on the {outputs[1]}: {name}"):
                    check(CALLS[name](on, output=output), output, right[name])


def test_rows_in_host_memory_are_not_lent_to_a_kernel():
    device, given = ApartDevice(), warpath.from_arcs(1, [], [], np.zeros(0, np.int32))
    solver = warpath.prepare(given, device)
    for call in (partial(solver.apsp, **SHARED_ROWS), partial(solver.sssp, 0, **QUEUE)):
        paths = call(output="device")
        assert isinstance(paths.distances, DeviceArray) and paths.distances.tolist() in ([0], [[0]])
