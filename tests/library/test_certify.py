"""Anyone's distances and predecessors are certified, whatever their type and their unit, and wrong ones refused."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import graph, named

import warpath
from warpath.device import open_device
from warpath.device.resident import resident
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, DeviceError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.graphs.objects.adjacency_matrix import from_matrix
from warpath.library import alone

CHAIN = graph(3, (0, 1, 1), (1, 2, 0), (2, 1, 0))
SCALED = from_matrix([[0, 2, 4], [0, 0, 2.5], [0, 0, 0]], scale=10)


def test_anyone_can_have_his_answer_certified():
    road = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    for source in (0, [0, 2], None):
        distances, predecessors = dijkstra(road.to_scipy(), indices=source, return_predecessors=True)
        for given in (predecessors, None):
            certificate = warpath.certify(road, source, distances, given, device="simulated")
            assert certificate.reached == np.isfinite(distances).sum()
    distances = dijkstra(road.to_scipy(), indices=0)
    distances[2] += 1
    with pytest.raises(CertificateError, match="vertex 2"):
        warpath.certify(road, 0, distances, device="simulated")
    with pytest.raises(CertificateError, match=r"4\.5 at 1"):
        warpath.certify(road, 0, [0, 4.5, 9, np.inf], device="simulated")


def test_sums_of_whole_numbers_are_taken_exactly_and_others_as_rounded():
    for off in (1 + 1e-15, 4 + 1e-9, np.nextafter(4, 5)):
        weights = np.array([int(off), 5])
        whole = warpath.from_arcs(3, [0, 1], [1, 2], weights)
        with pytest.raises(CertificateError, match="at 1"):
            warpath.certify(whole, 0, [0, off, weights.sum()], device="simulated")
        tenths = from_matrix(np.diag(weights / 10, k=1), scale=10)
        assert warpath.certify(tenths, 0, [0, off / 10, weights.sum() / 10], device="simulated").reached == 3


def test_a_distance_that_is_only_near_a_right_one_is_refused():
    for scale in (1, 10):
        weights = {"weights": {"kind": "given", "scale": scale}}
        chain = warpath.from_arcs(3, [0, 1], [1, 2], [8, 7], weights)
        warpath.certify(chain, 0, np.array([0, 8, 15]) / scale, device="simulated")
        for off in (-0.3, -1e-5, 1e-5, 0.3):
            with named(f"{off}, scale {scale}"), pytest.raises(CertificateError):
                warpath.certify(chain, 0, np.array([0, 8, 15 + off]) / scale, device="simulated")


def test_predecessors_of_others():
    for kind in ("i2", "i4", "i8"):
        for none in (-1, -9999):
            warpath.certify(CHAIN, 0, [0, 1, 1], np.array([none, 0, 1], kind), device="simulated")
        unsigned = np.array([0, 0, 1], kind.replace("i", "u"))
        with pytest.raises(CertificateError):
            warpath.certify(CHAIN, 0, [0, 1, 1], unsigned, device="simulated")


WRAPS = [-(2**63), -(2**32), -(2**31) - 1, 2**31, 2**32 - 1, 2**32, 2**33, 2**40, 2**62, 2**63, 2**64 - 2**32]


@pytest.mark.parametrize("place", range(3))
def test_a_predecessor_that_is_no_vertex_of_32_bits_is_refused(place):
    for kind in ("i4", "i8", "u4", "u8"):
        limits = np.iinfo(kind)
        for wrapped in (0, *WRAPS):
            predecessors = [-1, 0, 1]
            predecessors[place] += wrapped
            if wrapped and all(limits.min <= number <= limits.max for number in predecessors):
                with named(f"{wrapped} of {kind}"), pytest.raises(CertificateError):
                    warpath.certify(CHAIN, 0, [0, 1, 1], np.array(predecessors, kind), device="simulated")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("place", range(3))
def test_a_distance_beyond_32_bits_is_refused(place):
    for wrapped in WRAPS:
        distances = [0, 1, 1]
        distances[place] += wrapped
        for kind in ("i8", "u8", "f8", "f4"):
            given = np.array([float(number) for number in distances], kind) if kind[0] == "f" else np.array(distances)
            if given.dtype == kind:
                with named(f"{wrapped} of {kind}"), pytest.raises(CertificateError):
                    warpath.certify(CHAIN, 0, given, device="simulated")


@pytest.mark.parametrize("device", ["cpu", "simulated"])
@pytest.mark.parametrize("kind", ["i1", "i4", "i8", "u2", "u8", "f4", "f8", "O"])
def test_a_distance_has_the_unit_of_the_weights_whatever_its_type(kind, device):
    def as_given(numbers):
        return list(numbers) if kind == "O" else np.array(numbers, kind)

    solver = warpath.prepare(SCALED, device)
    for certify in (lambda *answer: warpath.certify(SCALED, *answer, device=device), solver.certify):
        assert certify(0, as_given([0, 2, 4])).reached == 3
        if kind not in ("i1", "u2", "f4"):
            assert certify([2, 0], as_given([[UNREACHABLE, UNREACHABLE, 0], [0, 2, 4]])).reached == 4
        for wrong in ([0, 20, 40], [0, 2, 5], [0, 2, 3], [1, 2, 4]):
            with pytest.raises(CertificateError):
                certify(0, as_given(wrong))


@pytest.mark.parametrize("output", ["host", "device"])
@pytest.mark.parametrize("name", ["cpu", "simulated"])
def test_an_answer_is_certified_as_it_is(name, output):
    options = {"output": output, "certify": False}
    for of in (SCALED, warpath.from_arcs(3, [0, 0, 1], [1, 2, 2], [0.1, 0.4, 0.2]), CHAIN):
        solver = warpath.prepare(of, name)
        answers = [(sources, solver.sssp(sources, **options)) for sources in (0, [1, 0])]
        answers += [(None, solver.apsp(**options)), (0, solver.sssp(0, predecessors=False, **options))]
        for sources, paths in answers:
            certificate = solver.certify(sources, paths)
            assert certificate == warpath.certify(of, sources, paths, device=name)
            assert certificate.reached == np.count_nonzero(paths.reached)
            distances = paths.distances.copy()
            distances[..., -1] += 1
            forged = replace(paths, distances=distances)
            for wrong in (forged, replace(forged, predecessors=None)):
                with pytest.raises(CertificateError):
                    solver.certify(sources, wrong)
        with pytest.raises(CertificateError):
            solver.certify(0, solver.sssp(0, **options), np.array([-1, -1, -1]))


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_a_solver_certifies_what_the_function_does(device):
    of = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    solver = warpath.prepare(of, device)
    for distances in ([0, 4, 9], np.array([0, 4, 9]), [0, 4, 9.0], np.array([0, 4, 9], "i4")):
        for predecessors in (None, [-9999, 0, 1], np.array([-1, 0, 1])):
            assert solver.certify(0, distances, predecessors).reached == 3
    every = [[0, 4, 9], [np.inf, 0, 5], [np.inf, np.inf, 0]]
    assert solver.certify(None, every).reached == 6
    every[1][2] = 6
    for wrong in ((None, every), (0, [0, 4.5, 9]), (0, [0, 4, 9], [-1, 0, 2**31])):
        with pytest.raises(CertificateError):
            solver.certify(*wrong)
    with pytest.raises(UsageError):
        solver.certify(3, [0, 4, 9])


def test_the_answer_from_a_source_without_arcs_is_certified_too():
    far = UNREACHABLE
    of, right, none = graph(3, (1, 0, 5), (1, 2, 1)), [0, far, far], [-1, -1, -1]
    paths = warpath.sssp(of, 0, device="simulated")
    assert (paths.distances.tolist(), paths.predecessors.tolist()) == (right, none) and paths.certificate.reached == 1
    for wrong in (([1, far, far], none), ([0, 3, far], none), ([far, far, 0], none), (right, [-1, 0, -1])):
        with named(str(wrong)), pytest.raises(CertificateError):
            alone.certify(of, 0, *(np.array(array, np.int32) for array in wrong))
    with pytest.raises(CertificateError):
        alone.certify(of, 1, np.array([far, 0, far], np.int32), None)


def test_a_solver_that_writes_to_its_arcs_is_found_out():
    """Solvers and certificates have copies of the arcs, of which the second is uploaded or copied before a solve."""
    device = open_device("simulated")
    for first in ({"certify": True}, {"certify": False}):
        arcs = from_arcs(60, *np.random.default_rng(3).integers(0, 60, (2, 240)), np.arange(2, 242))
        kept = resident(device, arcs)
        named = {"algorithm": "label_correcting", "variant": "four_arcs", "device": device}
        warpath.sssp(arcs, 0, **named, **first)
        kept.weights[:] = 1
        with pytest.raises(CertificateError):
            warpath.sssp(arcs, 0, **named)


@pytest.mark.cuda
def test_arrays_of_another_gpu_are_no_arrays_of_this_one():
    try:
        open_device("cuda:1")
    except DeviceError as error:
        pytest.skip(str(error))
    road = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    paths = warpath.sssp(road, 0, device="cuda:1", output="device")
    assert warpath.certify(road, 0, paths.distances, paths.predecessors, device="cuda:0").reached == 3
    assert warpath.certify(road, 0, paths, device="cuda:0").reached == 3
    solver = warpath.prepare(road, "cuda:0")
    solver.update(open_device("cuda:1").upload(np.array([1, 2, 3], np.int32)))
    assert solver.sssp(0).distances.tolist() == [0, 1, 3, warpath.UNREACHABLE]
