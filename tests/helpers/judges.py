"""The certificates that tests put to the test: the host's, and the device's on every device, in each of its ways."""

from functools import lru_cache
from itertools import product

import pytest
from every_device import EVERY_DEVICE, SIMULATED_DEVICES, opened

from warpath.certificates import certificate, closure
from warpath.certificates.on_device import DeviceCertifier
from warpath.solvers.solver import Closure

WAYS = {
    "spread": {"block_rows_from": 2**31},
    "blocks": {"block_rows_from": 0},
    "streamed": {"shared_bytes_max": 0, "streamed_bytes_max": 64},
    "begun": {},
}
WAYS_ON_A_GPU = [pytest.param(f"cuda {way}", marks=pytest.mark.cuda) for way in WAYS]
ON_DEVICES = [
    *(f"{order} {way}" for order, way in product(SIMULATED_DEVICES, ("spread", "blocks", "begun"))),
    *WAYS_ON_A_GPU,
]
JUDGES = ["host", "host compiled", *ON_DEVICES]
CLOSURE_JUDGES = ["host", *EVERY_DEVICE]


def opened_judge(name):
    """``certify(graph, source, distances, predecessors)``; all pairs if the source is None."""
    if name == "host":
        return certificate.certify
    if name == "host compiled":
        return compiled_on_host
    kind, way = name.split()
    device = opened(kind)

    @lru_cache(maxsize=1)
    def judge_of(graph):
        return DeviceCertifier(device, graph, **WAYS[way])

    def certify(graph, source, distances, predecessors):
        judge = judge_of(graph)
        if source is None:
            return judge.certify(range(graph.vertices), distances, predecessors)
        if way != "begun":
            return judge.certify(*as_rows(source, distances, predecessors))
        arrays = [None if array is None else device.upload(array) for array in (distances, predecessors)]
        certificate.check_shapes(graph, (graph.vertices,), *arrays)
        certificate.check_sources(graph, [source])
        end = judge.begin(*as_rows(source, *arrays))
        device.synchronize()
        return end()

    return certify


def compiled_on_host(graph, source, distances, predecessors):
    sources = range(graph.vertices) if source is None else [source]
    rows = (distances, predecessors) if source is None else as_rows(source, distances, predecessors)[1:]
    return certificate.certify_each(graph, sources, *rows, uncompiled_max=-1)


def as_rows(source, distances, predecessors=None):
    """An answer from one source as rows of one."""
    return [source], distances[None], None if predecessors is None else predecessors[None]


def opened_closure_judge(name):
    """``certify_closure(graph, cells)``."""
    if name == "host":
        return lambda graph, cells: closure.certify_closure(graph, Closure(cells))
    device = opened(name)
    judge_of = lru_cache(maxsize=1)(lambda graph: DeviceCertifier(device, graph))
    return lambda graph, cells: judge_of(graph).certify_closure(cells)
